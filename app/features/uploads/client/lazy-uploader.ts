import type { ComponentType } from "react";
import { loadModule } from "~/lib/data/connection/load-module";
import { toast } from "~/lib/ui/overlays/toasts";
import { mayHaveUploads } from "./queue/upload-database";
import type { UploadTarget } from "./upload";
import type { Uploads } from "./uploads";

type UploadCode = { uploads: Uploads; Tray: ComponentType };

let personId: string | null = null;
let opening: Promise<UploadCode> | null = null;
let opened: UploadCode | null = null;
const waiting: { target: UploadTarget; files: readonly File[] }[] = [];
const listeners = new Set<() => void>();

const RETRY_MS = 3_000;

const DATABASE_TIMEOUT_MS = 3_000;

export function prepareUploads(id: string): void {
  personId = id;
  void mayHaveUploads(id).then((has) => (has ? load().catch(() => {}) : null));
}

export const tray = () => opened?.Tray ?? null;

export function onLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function expectFiles(): void {
  load().catch(() => {});
}

export async function addFiles(target: UploadTarget, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  waiting.push({ target, files });
  try {
    await load();
  } catch {
    window.addEventListener("beforeunload", preventUnload);
    await toast("The connection was lost. Your files are added when it is back.").catch(() => {});
    retryLoad();
    return;
  }
  addWaiting();
}

function retryLoad(): void {
  setTimeout(() => void load().then(addWaiting, retryLoad), RETRY_MS);
}

function addWaiting(): void {
  window.removeEventListener("beforeunload", preventUnload);
  for (const { target, files } of waiting.splice(0)) opened?.uploads.add(target, files);
}

const databaseTimeout = () => new Promise<void>((resolve) => void setTimeout(resolve, DATABASE_TIMEOUT_MS));

const preventUnload = (event: Event) => event.preventDefault();

function load(): Promise<UploadCode> {
  opening ??= Promise.all([loadModule(() => import("./document-uploads")), loadModule(() => import("./tray/upload-tray"))])
    .then(async ([{ openDocumentUploads }, { UploadTray }]) => {
      const uploads = openDocumentUploads(personId ?? "");
      await Promise.race([uploads.restoreUnfinished(), databaseTimeout()]);
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
