import { describe, expect, it } from "vitest";
import { BusyError, createQueue } from "./work-queue.server";

function jobsOf(queue: ReturnType<typeof createQueue>) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (userId: string, name: string) =>
    queue(userId, async () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
      return name;
    });
  return { started, add, end: (name: string) => ends.get(name)?.() };
}

describe("createQueue", () => {
  it("limits concurrent jobs and keeps a user's order", { tags: "@limits-concurrent-jobs-keeps-users-order" }, async () => {
    const run = createQueue({ running: 2, waiting: 10 });
    let active = 0;
    let most = 0;
    const began: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run("ada", async () => {
          began.push(index);
          most = Math.max(most, ++active);
          await new Promise((resolve) => setTimeout(resolve, 2));
          active--;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(began).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it(
    "alternates between users regardless of their number of jobs",
    { tags: "@alternates-between-users-regardless-number-jobs" },
    async () => {
      const { started, add, end } = jobsOf(createQueue({ running: 1, waiting: 500 }));
      const all = [
        ...Array.from({ length: 400 }, (_, n) => add("eve", `eve ${n}`)),
        add("ada", "ada 0"),
        add("bob", "bob 0"),
        add("ada", "ada 1"),
      ];
      for (let at = 0; at < all.length; at++) {
        await expect.poll(() => started.length).toBe(at + 1);
        end(started[at] ?? "");
      }
      await Promise.all(all);
      expect(started.slice(0, 6)).toEqual(["eve 0", "ada 0", "bob 0", "eve 1", "ada 1", "eve 2"]);
    },
  );

  it("gives a free slot to the user with fewer running jobs", async () => {
    const { started, add, end } = jobsOf(createQueue({ running: 3, waiting: 10 }));
    const all = [add("eve", "eve 0"), add("eve", "eve 1"), add("ada", "ada 0"), add("eve", "eve 2"), add("ada", "ada 1")];
    end("eve 0");
    await expect.poll(() => started.length).toBe(4);
    expect(started.at(-1)).toBe("eve 2");
    end("eve 1");
    await expect.poll(() => started.length).toBe(5);
    expect(started.at(-1)).toBe("ada 1");
    for (const name of started) end(name);
    await Promise.all(all);
  });

  it("rejects a job when the queue is full, and accepts one later", { tags: "@rejects-job-when-queue-full-accepts" }, async () => {
    const run = createQueue({ running: 1, waiting: 1 });
    const gate = Promise.withResolvers<void>();
    const first = run("ada", () => gate.promise);
    const second = run("ada", async () => "second");
    await expect(run("ada", async () => "third")).rejects.toBeInstanceOf(BusyError);
    gate.resolve();
    await first;
    expect(await second).toBe("second");
    expect(await run("ada", async () => "fourth")).toBe("fourth");
  });

  it("evicts the last job of the user with the most jobs from a full queue", async () => {
    const { started, add, end } = jobsOf(createQueue({ running: 1, waiting: 4 }));
    const all = Array.from({ length: 5 }, (_, n) => add("eve", `eve ${n}`));
    const settled = Promise.allSettled(all);
    const others = [add("ada", "ada 0"), add("bob", "bob 0")];
    await expect(add("eve", "eve 5")).rejects.toBeInstanceOf(BusyError);
    for (let at = 0; at < 5; at++) {
      await expect.poll(() => started.length).toBe(at + 1);
      end(started[at] ?? "");
    }
    expect(await Promise.all(others)).toEqual(["ada 0", "bob 0"]);
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"]);
  });

  it("starts the next job after one that failed", async () => {
    const run = createQueue({ running: 1, waiting: 5 });
    const failed = run("ada", () => Promise.reject(new Error("broken")));
    const next = run("ada", async () => "next");
    await expect(failed).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });
});
