import { openLeftovers } from "./leftovers";
import { tusTransport } from "./transport";
import { Uploads } from "./uploads";

let uploads: Uploads | null = null;

/** The files that this document sends, for whoever is signed in: that changes with the document only. */
export function openDocumentUploads(personId: string): Uploads {
  return (uploads ??= new Uploads({ transport: tusTransport, leftovers: openLeftovers(personId, localStorage) }));
}
