export class ConcurrencyLimitError extends Error {
  override name = "ConcurrencyLimitError";
}

export type ConcurrencyLimit = {
  /** Throws `ConcurrencyLimitError` at once if the limit is reached. */
  hold<Result>(userId: string, job: () => Promise<Result>): Promise<Result>;
  /** Returns the release function. Throws `ConcurrencyLimitError`. */
  acquire(userId: string): () => void;
  users(): number;
};

/** Limits concurrent jobs per user, so that no user occupies all capacity. */
export function createConcurrencyLimit(each: number): ConcurrencyLimit {
  const taken = new Map<string, number>();

  function acquire(userId: string): () => void {
    const before = taken.get(userId) ?? 0;
    if (before >= each) throw new ConcurrencyLimitError(`${each} are already in progress`);
    taken.set(userId, before + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (taken.get(userId) ?? 1) - 1;
      if (left > 0) taken.set(userId, left);
      else taken.delete(userId);
    };
  }

  return {
    acquire,
    users: () => taken.size,
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
