import type { ReadableHandle } from "../file-selection/file-handles";

export type QueuedUpload = {
  id: string;
  userId: string;
  tab: string;
  designId: string;
  designName: string;
  name: string;
  size: number;
  type: string;
  /** `File.lastModified`, which identifies the file together with its name and size. */
  modified: number;
  at: number;
  batch: string | null;
  index: number;
  url: string | null;
  paused: boolean;
  isStored: boolean;
  handle: ReadableHandle | null;
};

export function isSameFile({ name, size, modified }: Pick<QueuedUpload, "name" | "size" | "modified">, file: File): boolean {
  return name === file.name && size === file.size && modified === file.lastModified;
}
