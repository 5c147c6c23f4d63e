import { toast } from "~/ui/toasts";
import { leftoversKey } from "./leftovers-key";
import type { Place, Uploads } from "./uploads";

/**
 * Where files enter. All that sends them, and shows how far they are, is loaded with the first of them, or where an earlier page left some
 * unfinished: so that no page carries it that adds nothing.
 */
let personId: string | null = null;
let opening: Promise<Uploads> | null = null;
const listeners = new Set<() => void>();

/** Tells who is signed in; answers whether an earlier page of theirs left something unfinished. */
export function prepareUploads(id: string): boolean {
  personId = id;
  try {
    return localStorage.getItem(leftoversKey(id)) !== null;
  } catch {
    return false;
  }
}

/** Whether there is something to be shown. */
export const isOpen = () => opening !== null;

export function onOpened(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The document's one `Uploads`. */
export function openUploads(): Promise<Uploads> {
  if (opening) return opening;
  opening = import("./document-uploads").then(async ({ openDocumentUploads }) => {
    const uploads = openDocumentUploads(personId ?? "");
    await uploads.findRest();
    return uploads;
  });
  opening.catch(() => (opening = null));
  for (const listener of listeners) listener();
  return opening;
}

/** Adds files to a design. */
export async function addFiles(place: Place, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  try {
    (await openUploads()).add(place, files);
  } catch {
    await toast("Nothing was added: the server does not answer. Try again when you are back online.");
  }
}
