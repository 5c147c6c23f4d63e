export type LineSpeed = {
  record(bytes: number, ms: number): void;
  isFastFor(bytes: number): boolean;
};

const LARGE_BYTES = 500_000;
/** Bytes per second. Above the uplink speed of mobile networks, where users pay per byte. */
const FAST = 10_000_000;
const SHORT_SECONDS = 1;

export function createLineSpeed(): LineSpeed {
  let speed = 0;
  return {
    record(bytes, ms) {
      if (bytes >= LARGE_BYTES) speed = bytes / (ms / 1000);
    },
    isFastFor: (bytes) => speed >= FAST && bytes / speed < SHORT_SECONDS,
  };
}
