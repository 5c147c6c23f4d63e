import { tusTransport } from "./transfer/tus-transport";
import { openUploadQueue } from "./queue/upload-queue";
import { Uploads } from "./uploads";

let uploads: Uploads | null = null;

export function openDocumentUploads(personId: string): Uploads {
  return (uploads ??= new Uploads({ transport: tusTransport, queue: openUploadQueue(personId) }));
}
