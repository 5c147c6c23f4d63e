export class BusyError extends Error {
  override name = "BusyError";
}

export type Queue = {
  /** Throws `BusyError` when the queue is full, or another user's job replaces this one. */
  <T>(userId: string, job: () => Promise<T>): Promise<T>;
};

type Waiting = { start: () => void; reject: (error: BusyError) => void };
/** `turn` is the number of the last started job of this user; 0 before the first. */
type User = { running: number; waiting: Waiting[]; turn: number };

/** Prefers the user with the fewest running jobs, then the longest wait. When full, the user with the most jobs loses the last one. */
export function createQueue({ running, waiting }: { running: number; waiting: number }): Queue {
  let active = 0;
  let inLine = 0;
  let turns = 0;
  const users = new Map<string, User>();

  function enqueue(userId: string, user: User): Promise<void> {
    if (inLine >= waiting) {
      const longest = [...users.values()].reduce((most, each) => (each.waiting.length > most.waiting.length ? each : most), user);
      const full = new BusyError(`${waiting} jobs are waiting already.`);
      if (longest.waiting.length <= user.waiting.length + 1) return Promise.reject(full);
      longest.waiting.pop()?.reject(full);
      inLine--;
    }
    inLine++;
    users.set(userId, user);
    return new Promise((start, reject) => user.waiting.push({ start, reject }));
  }

  function occupy(user: User): void {
    active++;
    user.running++;
    user.turn = ++turns;
  }

  function startNext(): void {
    let next: User | undefined;
    for (const user of users.values()) if (user.waiting.length > 0 && (!next || comesBefore(user, next))) next = user;
    if (!next) return;
    inLine--;
    occupy(next);
    next.waiting.shift()?.start();
  }

  return async function run(userId, job) {
    const user = users.get(userId) ?? { running: 0, waiting: [], turn: 0 };
    if (active >= running) {
      await enqueue(userId, user);
    } else {
      users.set(userId, user);
      occupy(user);
    }
    try {
      return await job();
    } finally {
      active--;
      user.running--;
      if (user.running === 0 && user.waiting.length === 0) users.delete(userId);
      startNext();
    }
  };
}

const comesBefore = (a: User, b: User) => a.running < b.running || (a.running === b.running && a.turn < b.turn);
