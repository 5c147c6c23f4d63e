import { count } from "~/lib/ui/count";
import { isActive, type Upload } from "../upload";

type Summary = ReturnType<typeof summarizeUploads>;

export function summarizeUploads(uploads: readonly Upload[]) {
  const countOf = (state: Upload["state"]) => uploads.filter((upload) => upload.state === state).length;
  const active = uploads.filter(isActive);
  const bytes = active.reduce((sum, { size }) => sum + size, 0);
  const sent = active.reduce((sum, upload) => sum + upload.sent, 0);
  const arrived = uploads.reduce((sum, { state, size }) => sum + (state === "added" || state === "duplicate" ? size : 0), 0);
  const speeds = active.flatMap(({ speed }) => speed ?? []);
  return {
    open: active.length,
    added: countOf("added"),
    failed: countOf("failed"),
    duplicate: countOf("duplicate"),
    bytes,
    sent,
    resumed: active.filter(({ isResumed }) => isResumed).length,
    /** Includes finished files, so that the progress never decreases. */
    percent: bytes > 0 ? Math.floor((100 * (sent + arrived)) / (bytes + arrived)) : 0,
    speed: speeds.length > 0 ? speeds.reduce((sum, speed) => sum + speed, 0) : null,
  };
}

const notUploadedText = (files: number) => `${count(files, "file was", "files were")} not uploaded.`;

export function titleOf(uploads: readonly Upload[], summary: Summary, unfinished: number): string {
  const isSending = uploads.some(({ state }) => state === "sending" || state === "processing");
  const interrupted = isSending ? undefined : uploads.find(({ state }) => state === "interrupted");
  if (interrupted?.problem) return interrupted.problem;
  if (summary.open > 0 && summary.open === summary.resumed) return `${notUploadedText(summary.resumed)} Resuming…`;
  if (summary.open > 0) return `Adding ${count(uploads.length, "image")}`;
  return unfinished > 0 ? notUploadedText(unfinished) : outcomeText(summary);
}

function outcomeText({ added, failed, duplicate }: Summary): string {
  const messages = [
    added > 0 ? `${count(added, "image")} added` : "",
    duplicate > 0 ? count(duplicate, "duplicate") : "",
    failed > 0 ? `${failed} failed` : "",
  ].filter(Boolean);
  return messages.join(", ") || "Nothing added";
}

export function announcement(uploads: readonly Upload[], summary: Summary, unfinished: number): string {
  return uploads.length === 0 && unfinished === 0 ? "" : titleOf(uploads, summary, unfinished);
}
