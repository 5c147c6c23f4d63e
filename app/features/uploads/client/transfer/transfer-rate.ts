export type TransferRate = {
  record(bytes: number, now: number): void;
  speed(now: number): number | null;
};

const WINDOW_MS = 5_000;
const LEAST_MS = 700;

export function createTransferRate(): TransferRate {
  let samples: { at: number; bytes: number }[] = [];
  return {
    record(bytes, now) {
      samples = samples.filter(({ at }) => at > now - WINDOW_MS);
      samples.push({ at: now, bytes });
    },
    speed(now) {
      const recent = samples.filter(({ at }) => at > now - WINDOW_MS);
      const [first, last] = [recent[0], recent.at(-1)];
      if (!first || !last || now - first.at < LEAST_MS) return null;
      return Math.max(0, (last.bytes - first.bytes) / ((now - first.at) / 1000));
    },
  };
}

export function remainingTimeText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}
