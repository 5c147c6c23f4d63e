import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Makes changed names in the folder durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Creates a folder and its missing parents, so that a power loss does not remove them with their files. */
export function createFolder(folder: string, mode?: number): void {
  const first = mkdirSync(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let created = folder; created.length >= first.length; created = dirname(created)) syncFolder(dirname(created));
}

/** Replaces a small file, which has the old or the new text after a power loss. */
export function replaceFile(path: string, text: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
}
