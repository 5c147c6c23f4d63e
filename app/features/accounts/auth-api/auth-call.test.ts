import { describe, expect, it } from "vitest";
import { clearCachedReads, readCached, runAuthCall } from "./auth-call.server";

function store() {
  let reads = 0;
  return { read: async () => ++reads, reads: () => reads };
}
const user = { model: "users", where: "ada@example.com" };
const session = { model: "sessions", where: "token" };

describe("runAuthCall", () => {
  it("starts the early read before the request and passes its result to the request", async () => {
    const { read, reads } = store();
    const { result } = await runAuthCall(
      async () => {
        expect(reads()).toBe(1);
        return readCached(user, read);
      },
      { early: () => readCached(user, read) },
    );
    expect([result, reads()]).toEqual([1, 1]);
  });

  it("reads a session once until the request writes, and other rows each time", async () => {
    const { read } = store();
    const { result } = await runAuthCall(async () => {
      const before = [await readCached(session, read), await readCached(session, read), await readCached(user, read)];
      clearCachedReads();
      return [...before, await readCached(session, read), await readCached(user, read)];
    });
    expect(result).toEqual([1, 1, 2, 3, 4]);
  });

  it("shares no result between requests", async () => {
    const { read } = store();
    const request = () => runAuthCall(() => readCached(session, read));
    const both = await Promise.all([request(), request()]);
    expect(both.map(({ result }) => result)).toEqual([1, 2]);
  });

  it("reports a failed early read only to a request that reads the same", async () => {
    const fail = () => Promise.reject(new Error("down"));
    await expect(runAuthCall(() => readCached(user, fail), { early: () => readCached(user, fail) })).rejects.toThrow("down");
    const { result } = await runAuthCall(async () => "limited", { early: () => readCached(user, fail) });
    expect(result).toBe("limited");
  });
});
