/** A queue has no more room; whoever asked should come again later. */
export class BusyError extends Error {
  override name = "BusyError";
}

/**
 * Runs at most `running` jobs at once and lets `waiting` more stand in line, first come first served; beyond that it
 * throws BusyError at once. For work that would otherwise take all memory and all cores.
 */
export function createQueue({ running, waiting }: { running: number; waiting: number }) {
  let active = 0;
  const line: (() => void)[] = [];

  return async function run<T>(job: () => Promise<T>): Promise<T> {
    if (active >= running) {
      if (line.length >= waiting) throw new BusyError(`${waiting} jobs are waiting already.`);
      // The job that ends hands its place over, so that nobody who comes in between takes it.
      await new Promise<void>((resolve) => line.push(resolve));
    } else {
      active++;
    }
    try {
      return await job();
    } finally {
      const next = line.shift();
      if (next) next();
      else active--;
    }
  };
}
