import { bytesText } from "~/lib/ui/bytes-text";
import { SMALLEST_CHUNK } from "./client/transfer/chunk-size";

export type UploadProblem = {
  problem: string;
  again?: boolean;
  duplicateOf?: { imageId: string; name: string };
};

/** Callers add `CONTINUES` if the upload continues, or `TRY_AGAIN` if it must be repeated. */
export const PROBLEM_TEXTS = {
  signedOut: "Your session has ended. Sign in in another tab, then try again.",
  gone: "The design no longer exists. It may have been deleted.",
  unknown: "The upload has expired and restarts from the beginning.",
  incomplete: "The upload is incomplete. The uploaded part is kept.",
  invalid: "The server could not read the request. Nothing was saved. Reload the page, then add the files again.",
  damaged: "A part of the file was damaged during the upload.",
  diskFull: "The server's disk is full. The uploaded part is kept.",
  busy: "The server is busy. The uploaded part is kept.",
  tooMany: "You have too many unfinished uploads. Resume or discard some of them.",
  failed: "Something went wrong on our side. The uploaded part is kept.",
  timeout: "The request took too long. The uploaded part is kept.",
  proxyTooLarge: `A proxy in front of the server rejects requests of ${bytesText(SMALLEST_CHUNK)}. The upload failed. Ask the operator to raise the proxy's limit (in nginx: client_max_body_size), then try again.`,
  proxyNoServer:
    "A proxy in front of the server receives no response. The uploaded part is kept. If this continues, ask the operator to check the server and the proxy's address and timeout (in nginx: proxy_pass, proxy_read_timeout).",
} as const;

export const CONTINUES = "The upload continues automatically.";
export const TRY_AGAIN = "Try again.";

export function isUploadProblem(answer: unknown): answer is UploadProblem {
  return typeof answer === "object" && answer !== null && "problem" in answer && typeof answer.problem === "string";
}
