/** What is told about a file that is not taken, or not yet. */
export type UploadProblem = {
  problem: string;
  /** Nothing is wrong with the file: the same may go well later. */
  again?: boolean;
  /** The same picture that the design has already. */
  duplicateOf?: { imageId: string; name: string };
};

export const TEXTS = {
  signedOut: "Your session has ended. Sign in in another tab, then try again.",
  gone: "The design is no longer here. Somebody may have deleted it meanwhile.",
  unknown: "The server has nothing of this file any more. It starts from the beginning.",
  incomplete: "Not all of the file has arrived.",
  damaged: "The file was damaged on its way. Try again.",
  diskFull: "The server's disk is full. What has arrived is kept: try again later.",
  busy: "The server is busy. What has arrived is kept.",
  tooMany: "Too many of your files are unfinished. Finish or discard some of them, then try again.",
  failed: "Something failed on our side. What has arrived is kept: try again.",
} as const;

export function isUploadProblem(answer: unknown): answer is UploadProblem {
  return typeof answer === "object" && answer !== null && "problem" in answer && typeof answer.problem === "string";
}
