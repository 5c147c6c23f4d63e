import { bytesText } from "~/lib/ui/bytes-text";
import { remainingTimeText } from "../transfer/transfer-rate";
import type { Upload } from "../upload";

export function stateText({ state, sent, size, speed, problem }: Upload): string {
  switch (state) {
    case "waiting":
      return "Queued";
    case "sending":
      return [`${Math.floor((100 * sent) / size)}% of ${bytesText(size)}`, transferRateText(size - sent, speed)].filter(Boolean).join(", ");
    case "paused":
      return `Paused at ${Math.floor((100 * sent) / size)}% of ${bytesText(size)}`;
    case "processing":
      return "Processing…";
    case "added":
      return "Added";
    case "cancelled":
      return "Cancelled";
    case "interrupted":
    case "duplicate":
    case "failed":
      return problem ?? "Failed";
  }
}

export function transferRateText(remaining: number, speed: number | null): string {
  return speed === null || speed < 1 ? "" : `${bytesText(speed)}/s, ${remainingTimeText(remaining / speed)}`;
}
