import { bytesText } from "~/lib/ui/bytes-text";
import { isolate } from "~/lib/ui/isolate";

export type UploadOutcome =
  | { ok: true; imageId: string }
  /** `again`: a retry may help. `damaged`: the bytes differ from those sent. `soon`: the client can retry automatically. */
  | {
      ok: false;
      problem: string;
      again: boolean;
      duplicateOf?: { imageId: string; name: string };
      damaged?: boolean;
      soon?: boolean;
    };

export type UploadResult = UploadOutcome & { name: string };

export type UploadAnswer = { results: UploadResult[]; problem?: string };

/** `sending` is new in each rendered form. `sending` and `onlyNew` (skip duplicates) precede the files. `uploaded`: an upload's id. */
export const UPLOAD_FIELDS = { sending: "sending", onlyNew: "onlyNew", uploaded: "uploaded", files: "files" } as const;

/** A larger form's file is uploaded in chunks first, so that proxies that accept the chunks accept the form, too. */
export const FORM_MAX_BYTES = 496 * 1024;

export const PICTURE_MAX_BYTES = 20_000_000;

export const MAX_FILES = 50;

/** A request with several small files: one `entry` per file (JSON), then the files in the same order. */
export const BATCH_FIELDS = { entry: "entry", files: "files" } as const;

export const BATCH_MAX_FILES = 16;
export const BATCH_MAX_FILE_BYTES = 32 * 1024;

export type BatchEntry = {
  key: string;
  name: string;
  checksum: string | null;
  anyway: boolean;
  chosenAs: { batch: string; index: number } | null;
};

export type BatchAnswer = { outcomes: UploadOutcome[] };

export function tooLargeText(size: number | null, maxBytes: number): string {
  const limit = `maximum ${bytesText(maxBytes)}`;
  return size === null ? `Too large (${limit})` : `Too large: ${bytesText(size)} (${limit})`;
}

export function storageFullText(size: number, left: number, quota: number): string {
  const free = `${left > 0 ? bytesText(left) : "nothing"} of ${bytesText(quota)} is free`;
  return `Not enough storage: the file needs ${bytesText(size)}, but ${free}. Delete images and empty the trash, then try again.`;
}

export function duplicateText(name: string): string {
  return `Duplicate of ${isolate(name)} in this design. Not added.`;
}

const FORM_OVERHEAD = 16 * 1024;

export function formLimitText(requestBytes: number): string {
  return `One upload can have up to ${bytesText(requestBytes - FORM_OVERHEAD)} in total. A proxy in front of the server rejects larger uploads.`;
}

export function isUploadAnswer(answer: unknown): answer is UploadAnswer {
  return typeof answer === "object" && answer !== null && "results" in answer && Array.isArray(answer.results);
}
