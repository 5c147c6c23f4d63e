/** How fast something goes, from how far it had come at which times. */
export type Pace = {
  /** Notes how many bytes there are, at a time in ms. */
  note(bytes: number, now: number): void;
  /** Bytes a second over the last seconds; null while too little is known to say. */
  speed(now: number): number | null;
};

/** What is looked back on, in ms: long enough to be calm, short enough to notice a change. */
const WINDOW_MS = 5_000;
/** Less than this says nothing yet. */
const LEAST_MS = 700;

export function createPace(): Pace {
  let samples: { at: number; bytes: number }[] = [];
  return {
    note(bytes, now) {
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

/** "8 s left", "2 min left", "1 h 5 min left". */
export function leftText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}
