import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { readPastedFiles } from "~/features/uploads/client/file-selection/dropped-files";
import { connection } from "~/lib/data/connection/connection";
import { loadModule } from "~/lib/data/connection/load-module";
import { announce } from "~/lib/ui/overlays/announcer";
import { api } from "#convex/_generated/api";
import { COMMENT_IMAGES_MAX } from "#convex/model/comments/imagesMax";
import type { CommentImage } from "./comment-images";

type AttachmentsOptions = {
  itemId: string | null;
  images: readonly CommentImage[];
  onAdd: (image: CommentImage) => void;
  onRemove: (id: string) => void;
};

export function useAttachments({ itemId, images, onAdd, onRemove }: AttachmentsOptions) {
  const [uploading, setUploading] = useState(0);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const count = useRef(0);
  count.current = images.length + uploading;

  async function upload(item: string, file: File): Promise<void> {
    setUploading((now) => now + 1);
    try {
      const { uploadCommentImage } = await loadModule(() => import("./upload-comment-image"));
      onAdd(await uploadCommentImage(item, file));
      announce("Image added");
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      setProblems((now) => [...now, `${file.name}: ${problem}`]);
    } finally {
      setUploading((now) => now - 1);
    }
  }

  function add(files: readonly File[]): void {
    if (itemId === null || files.length === 0) return;
    const room = Math.max(0, COMMENT_IMAGES_MAX - count.current);
    setProblems(files.length > room ? [`A comment can have at most ${COMMENT_IMAGES_MAX} images.`] : []);
    for (const file of files.slice(0, room)) void upload(itemId, file);
  }

  return {
    images,
    uploading,
    problems,
    isOffered: itemId !== null,
    add,
    remove(id: string): void {
      onRemove(id);
      announce("Image removed");
      void connection()
        .then((convex) => convex.mutation(api.commentImages.remove, { imageId: id }))
        .catch(() => {});
    },
    formProps:
      itemId === null
        ? {}
        : {
            "data-own-drop": "",
            onDrop(event: DragEvent) {
              add([...event.dataTransfer.files]);
            },
            onPaste(event: ClipboardEvent) {
              if (event.clipboardData.types.includes("text/plain")) return;
              const files = readPastedFiles(event.clipboardData, new Date());
              if (files.length === 0) return;
              event.preventDefault();
              add(files);
            },
          },
  };
}

export type AttachmentsState = ReturnType<typeof useAttachments>;
