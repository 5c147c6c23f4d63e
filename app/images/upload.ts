/** What an upload's answer says of one file, in the order in which the files stood in the form. */
export type UploadResult =
  | { name: string; ok: true; imageId: string }
  /** `again`: nothing is wrong with the file, so that sending it once more may help. */
  | { name: string; ok: false; problem: string; again: boolean };

/** The answer to an upload: one result a file; `problem` where the form as a whole could not be taken. */
export type UploadAnswer = { results: UploadResult[]; problem?: string };

/** The upload form's fields; `sending` is made anew for each form that is shown, and stands before the files. */
export const UPLOAD_FIELDS = { sending: "sending", files: "files" } as const;

/** Most files of one form. */
export const MAX_FILES = 50;

/** A size as people read it: "50 MiB", "3.4 MB" would be another number. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const number = new Intl.NumberFormat("en", { maximumFractionDigits: power === 0 ? 0 : 1 });
  return `${number.format(bytes / 1024 ** power)} ${units[power]}`;
}

export function tooLargeText(size: number | null, maxBytes: number): string {
  const limit = `it may have ${bytesText(maxBytes)} at most`;
  return size === null ? `The file is too large: ${limit}.` : `The file has ${bytesText(size)}; ${limit}.`;
}

export function isUploadAnswer(answer: unknown): answer is UploadAnswer {
  return typeof answer === "object" && answer !== null && "results" in answer && Array.isArray(answer.results);
}
