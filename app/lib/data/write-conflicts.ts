/** Convex retries a mutation up to four times. Then it returns this code over HTTP, or this text over the websocket. */
const CONFLICT = /OptimisticConcurrencyControlFailure|changed while this mutation was being run and on every subsequent retry/;

export const CONFLICT_RETRIES = 5;

export const isConflict = (message: string): boolean => CONFLICT.test(message);

export const conflictPause = (retry: number): number => 100 * 2 ** retry * (1 + Math.random());

/** Retries a mutation after a write conflict. The mutation has not run, so retrying is safe. */
export async function retryConflicts<Result>(
  run: () => Promise<Result>,
  pause: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<Result> {
  for (let retry = 0; ; retry++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error && isConflict(error.message)) || retry === CONFLICT_RETRIES) throw error;
      await pause(conflictPause(retry));
    }
  }
}
