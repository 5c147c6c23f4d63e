import type { ComponentType } from "react";
import { reachServer } from "~/data/reach-server";
import { toast } from "~/ui/toasts";
import { leftoversKey } from "./leftovers-key";
import type { Place, Uploads } from "./uploads";

/**
 * Where files enter. All that sends them, and shows how far they are, is loaded with the first of them, or where an earlier page left some
 * unfinished: so that no page carries it that adds nothing. Should the line be lost at that very moment, the files wait here.
 */
type Parts = { uploads: Uploads; Tray: ComponentType };

let personId: string | null = null;
let opening: Promise<Parts> | null = null;
let opened: Parts | null = null;
const waiting: { place: Place; files: readonly File[] }[] = [];
const listeners = new Set<() => void>();

/** How long to wait before what was not loaded is asked for again, in ms. */
const AGAIN_MS = 3_000;

/** Tells who is signed in, and takes up what an earlier page of theirs left unfinished. */
export function prepareUploads(id: string): void {
  personId = id;
  try {
    if (localStorage.getItem(leftoversKey(id)) !== null) load().catch(() => {});
  } catch {
    // A browser that keeps nothing has nothing to be reminded of.
  }
}

/** The tray, once there is something to be shown in it. */
export const tray = () => opened?.Tray ?? null;

export function onOpened(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Loads what will be needed, when somebody seems about to add files: none of it is a matter of theirs if that fails. */
export function expectFiles(): void {
  load().catch(() => {});
}

/** Adds files to a design. */
export async function addFiles(place: Place, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  waiting.push({ place, files });
  try {
    await load();
  } catch {
    window.addEventListener("beforeunload", stay);
    await toast("The connection was lost. Your files wait, and are added when it is back.").catch(() => {});
    again();
    return;
  }
  handOn();
}

function again(): void {
  setTimeout(() => void load().then(handOn, again), AGAIN_MS);
}

function handOn(): void {
  window.removeEventListener("beforeunload", stay);
  for (const { place, files } of waiting.splice(0)) opened?.uploads.add(place, files);
}

const stay = (event: Event) => event.preventDefault();

function load(): Promise<Parts> {
  opening ??= reachServer()
    .then(() => Promise.all([import("./document-uploads"), import("./tray")]))
    .then(async ([{ openDocumentUploads }, { UploadTray }]) => {
      const uploads = openDocumentUploads(personId ?? "");
      await uploads.findRest();
      opened = { uploads, Tray: UploadTray };
      for (const listener of listeners) listener();
      return opened;
    })
    .catch((error: unknown) => {
      opening = null;
      throw error;
    });
  return opening;
}
