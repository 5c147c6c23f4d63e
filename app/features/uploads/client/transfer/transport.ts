import { PROBLEM_TEXTS, TRY_AGAIN, type UploadProblem } from "../../upload-problem";
import type { UploadOutcome } from "../../upload-result";
import type { BatchFile } from "./batch";

export class NotSent extends Error {
  override name = "NotSent";
  readonly status: number | null;
  readonly answer: UploadProblem | null;

  constructor(status: number | null, answer: UploadProblem | null) {
    super(answer?.problem ?? `No response (${status ?? "connection lost"})`);
    this.status = status;
    this.answer = answer;
  }
}

export type Sending = {
  file: File;
  url: string | null;
  metadata: Record<string, string>;
  signal: AbortSignal;
  onUrl: (url: string) => void;
  onProgress: (bytes: number) => void;
};

/** Methods throw `NotSent`, and `send` also the reason of an aborted signal. `hasArrived` is false for an unknown upload. */
export type Transport = {
  isFastFor(bytes: number): boolean;
  send(sending: Sending): Promise<void>;
  hasArrived(url: string): Promise<boolean>;
  finish(url: string, anyway: boolean, signal: AbortSignal): Promise<UploadOutcome>;
  discard(url: string): void;
  sendBatch(designId: string, files: readonly BatchFile[]): Promise<UploadOutcome[]>;
};

export type Remedy = { kind: "wait" | "restart" | "fail"; problem: string; canRetry: boolean };

export function remedyFor({ status, answer }: NotSent): Remedy {
  const problem = answer?.problem ?? (status === null ? LOST : (proxyProblem(status) ?? PROBLEM_TEXTS.busy));
  if (status === null || status === 408 || status === 429 || status === 423 || status >= 500)
    return { kind: "wait", problem, canRetry: true };
  if (status === 404 && answer?.problem === PROBLEM_TEXTS.unknown) return { kind: "restart", problem, canRetry: true };
  if (status === 460 || (status === 409 && !answer?.duplicateOf)) return { kind: "wait", problem, canRetry: true };
  if (answer) return { kind: "fail", problem, canRetry: answer.again ?? status === 401 };
  return { kind: "fail", problem: status === 413 ? problem : `${PROBLEM_TEXTS.failed} ${TRY_AGAIN}`, canRetry: true };
}

function proxyProblem(status: number): string | null {
  if (status === 408) return PROBLEM_TEXTS.timeout;
  if (status === 413) return PROBLEM_TEXTS.proxyTooLarge;
  return status === 502 || status === 504 ? PROBLEM_TEXTS.proxyNoServer : null;
}

const LOST = "Waiting for connection";
