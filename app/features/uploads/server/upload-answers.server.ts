import { refusalOf } from "~/lib/data/error-responses";
import { ConcurrencyLimitError } from "~/lib/http/concurrency-limit.server";
import { READ_ONLY_TEXT } from "#convex/model/errors";
import { isDiskFull } from "~/lib/http/disk-full.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { UploadAborted } from "~/lib/http/forms/receive-multipart.server";
import { log } from "~/lib/http/telemetry/log.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { PROBLEM_TEXTS, type UploadProblem } from "../upload-problem";
import { ChecksumMismatch, OffsetMismatch, TooLong } from "./partial-uploads/append.server";

export const TUS_VERSION = "1.0.0";

export class Refused extends Error {
  override name = "Refused";
  readonly status: number;
  readonly answer: UploadProblem;
  readonly headers: Record<string, string>;

  constructor(status: number, problem: UploadProblem, headers: Record<string, string> = {}) {
    super(problem.problem);
    this.status = status;
    this.answer = problem;
    this.headers = headers;
  }
}

export function answerFor(error: unknown): Response {
  if (error instanceof Refused) return refuse(error.status, error.answer, error.headers);
  if (error instanceof InvalidForm) return refuse(400, { problem: PROBLEM_TEXTS.invalid });
  // Open tabs of earlier builds resume after a 409 only.
  if (error instanceof OffsetMismatch || error instanceof UploadAborted)
    return refuse(409, { problem: PROBLEM_TEXTS.incomplete, again: true });
  if (error instanceof TooLong) return refuse(413, { problem: error.message });
  if (error instanceof ChecksumMismatch) return refuse(460, { problem: PROBLEM_TEXTS.damaged, again: true });
  if (isDiskFull(error)) return refuse(507, { problem: PROBLEM_TEXTS.diskFull, again: true });
  if (error instanceof ConcurrencyLimitError) return refuse(429, { problem: PROBLEM_TEXTS.busy, again: true }, { "Retry-After": "1" });
  if (error instanceof Unavailable) return refuse(503, { problem: PROBLEM_TEXTS.busy, again: true }, { "Retry-After": "5" });
  const refusal = refusalOf(error);
  if (refusal?.isReadOnly) return refuse(503, { problem: READ_ONLY_TEXT, again: true }, { "Retry-After": "30" });
  const code = refusal?.code;
  if (code === "not_found") return refuse(404, { problem: PROBLEM_TEXTS.gone });
  if (code === "unauthenticated") return refuse(401, { problem: PROBLEM_TEXTS.signedOut });
  if (isAbort(error)) return refuse(400, { problem: PROBLEM_TEXTS.incomplete, again: true });
  log.error({ error }, "an upload failed");
  return refuse(500, { problem: PROBLEM_TEXTS.failed, again: true });
}

const isAbort = (error: unknown) =>
  error instanceof Error &&
  (error.name === "AbortError" || ("code" in error && (error.code === "ECONNRESET" || error.code === "ABORT_ERR")));

/** Required on every response (tus 1.0, Tus-Resumable). There are no CORS headers, since other origins have no access. */
export const COMMON_HEADERS = { "Tus-Resumable": TUS_VERSION, "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff" };

export function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...COMMON_HEADERS, ...headers } });
}

export function refuse(status: number, problem: UploadProblem, headers: Record<string, string> = {}): Response {
  return Response.json(problem, { status, headers: { ...COMMON_HEADERS, ...headers } });
}

export const notAllowed = (allow: string) => refuse(405, { problem: "This method is not allowed." }, { Allow: allow });
