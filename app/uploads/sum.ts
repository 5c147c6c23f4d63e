import { count } from "~/ui/count";
import { isUnderWay, type Upload } from "./uploads";

type Sum = ReturnType<typeof summed>;

/** What a tray's files come to. */
export function summed(uploads: readonly Upload[]) {
  const of = (state: Upload["state"]) => uploads.filter((upload) => upload.state === state).length;
  const going = uploads.filter(isUnderWay);
  const bytes = going.reduce((sum, { size }) => sum + size, 0);
  const sent = going.reduce((sum, upload) => sum + upload.sent, 0);
  const speeds = going.flatMap(({ speed }) => speed ?? []);
  return {
    open: going.length,
    added: of("added"),
    failed: of("failed"),
    duplicate: of("duplicate"),
    bytes,
    sent,
    percent: bytes > 0 ? Math.floor((100 * sent) / bytes) : 0,
    speed: speeds.length > 0 ? speeds.reduce((sum, speed) => sum + speed, 0) : null,
  };
}

/** What became of them, once nothing is under way. */
export function outcome({ added, failed, duplicate }: Sum): string {
  const told = [
    added > 0 ? `${count(added, "image")} added` : "",
    duplicate > 0 ? `${duplicate} here already` : "",
    failed > 0 ? `${count(failed, "file")} not added` : "",
  ].filter(Boolean);
  return told.join(", ") || "Nothing added";
}

/** What is said aloud: that it begins, what is in the way, and how it ended. */
export function announcement(uploads: readonly Upload[], sum: Sum): string {
  if (uploads.length === 0) return "";
  if (sum.open === 0) return outcome(sum);
  const interrupted = uploads.find(({ state }) => state === "interrupted");
  return interrupted?.problem ?? `Adding ${count(uploads.length, "image")}`;
}
