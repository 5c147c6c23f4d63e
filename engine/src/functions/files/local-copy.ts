import { basename, join } from "node:path";

export type FileRowOnDisk = { path: string; size: number; sha256: string };

export type LocalCopy = {
  path: string;
  /** Whether the original is in a bucket. A damaged copy is then fetched again. */
  isCached: boolean;
  release(): void;
};

export type FileBucketStatus = {
  location: string;
  movesBack: boolean;
  /** Files that are still to be moved. Null before the first count. */
  waitingFiles: number | null;
  cachedFiles: number;
  cachedBytes: number;
  cacheLimitBytes: number;
  problem: string | null;
};

export interface FileBytes {
  /** Returns a local copy, which stays until it is released. @throws {FileUnavailableError} {FileDifference} */
  acquire(file: FileRowOnDisk): Promise<LocalCopy>;
  discard(file: Pick<FileRowOnDisk, "path">): Promise<void>;
  stored(): void;
  status(): FileBucketStatus | null;
  close(): Promise<void>;
}

/** A file cannot be read from its bucket now. The message is for clients. */
export class FileUnavailableError extends Error {
  constructor(cause?: unknown) {
    super("The stored file cannot be read from its bucket.", { cause });
    this.name = "FileUnavailableError";
  }
}

export function localFiles(dir: string): FileBytes {
  return {
    acquire: async ({ path }) => ({ path: join(dir, "files", basename(path)), isCached: false, release() {} }),
    async discard() {},
    stored() {},
    status: () => null,
    async close() {},
  };
}
