import { describe, expect, it } from "vitest";
import { BusyError, createQueue } from "./queue.server";

describe("createQueue", () => {
  it("runs no more at once than it may, in the order in which they came", async () => {
    const run = createQueue({ running: 2, waiting: 10 });
    let active = 0;
    let most = 0;
    const began: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run(async () => {
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

  it("refuses what does not fit into the line, and takes more once it is shorter", async () => {
    const run = createQueue({ running: 1, waiting: 1 });
    const gate = Promise.withResolvers<void>();
    const first = run(() => gate.promise);
    const second = run(async () => "second");
    await expect(run(async () => "third")).rejects.toBeInstanceOf(BusyError);
    gate.resolve();
    await first;
    expect(await second).toBe("second");
    expect(await run(async () => "fourth")).toBe("fourth");
  });

  it("gives the place of a failed job to the next", async () => {
    const run = createQueue({ running: 1, waiting: 5 });
    const failed = run(() => Promise.reject(new Error("broken")));
    const next = run(async () => "next");
    await expect(failed).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });
});
