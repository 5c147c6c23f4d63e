export const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 10_000];
