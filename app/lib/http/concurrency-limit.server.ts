export class ConcurrencyLimitError extends Error {
  override name = "ConcurrencyLimitError";
}

/** Throws `ConcurrencyLimitError` at once if the limit is reached. `acquire` returns the release function. */
export type ConcurrencyLimit = {
  hold<Result>(userId: string, job: () => Promise<Result>): Promise<Result>;
  acquire(userId: string): () => void;
  users(): number;
};

export function createConcurrencyLimit(each: number): ConcurrencyLimit {
  const activeCounts = new Map<string, number>();

  function acquire(userId: string): () => void {
    const before = activeCounts.get(userId) ?? 0;
    if (before >= each) throw new ConcurrencyLimitError(`${each} are already in progress`);
    activeCounts.set(userId, before + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const remaining = (activeCounts.get(userId) ?? 1) - 1;
      if (remaining > 0) activeCounts.set(userId, remaining);
      else activeCounts.delete(userId);
    };
  }

  return {
    acquire,
    users: () => activeCounts.size,
    async hold(userId, job) {
      const release = acquire(userId);
      try {
        return await job();
      } finally {
        release();
      }
    },
  };
}
