/** What an upload's answer says of one file, in the order in which the files stood in the form. */
export type UploadResult =
  | { name: string; ok: true; imageId: string }
  /**
   * `again`: nothing is wrong with the file, so that sending it once more may help. `duplicateOf`: the same picture that the design has already.
   * `damaged`: not the bytes that were sent. `soon`: nobody need do anything, time mends it.
   */
  | {
      name: string;
      ok: false;
      problem: string;
      again: boolean;
      duplicateOf?: { imageId: string; name: string };
      damaged?: boolean;
      soon?: boolean;
    };

/** The answer to an upload: one result a file; `problem` where the form as a whole could not be taken. */
export type UploadAnswer = { results: UploadResult[]; problem?: string };

/**
 * The upload form's fields; `sending` is made anew for each form that is shown. It and `onlyNew`, the wish to skip what is in the design already,
 * stand before the files.
 */
export const UPLOAD_FIELDS = { sending: "sending", onlyNew: "onlyNew", files: "files" } as const;

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

/** There is too little room for a file; `left` is how many bytes more there may be. */
export function noRoomText(size: number, left: number, quota: number): string {
  const rest = left > 0 ? `only ${bytesText(left)} of your ${bytesText(quota)} are left` : `all of your ${bytesText(quota)} are used`;
  return `The file has ${bytesText(size)}, and ${rest}. Delete images and empty the trash, then try again.`;
}

export function duplicateText(name: string): string {
  return `Already in this design, as ${name}. It was not added again.`;
}

export function isUploadAnswer(answer: unknown): answer is UploadAnswer {
  return typeof answer === "object" && answer !== null && "results" in answer && Array.isArray(answer.results);
}
