import { tusTransport } from "./transfer/tus-transport";
import { openUploadQueue } from "./queue/upload-queue";
import { Uploads } from "./uploads";

let uploads: Uploads | null = null;

/** Returns the uploads of this document. Its user never changes: signing in loads a new document. */
export function openDocumentUploads(personId: string): Uploads {
  return (uploads ??= new Uploads({ transport: tusTransport, queue: openUploadQueue(personId) }));
}
