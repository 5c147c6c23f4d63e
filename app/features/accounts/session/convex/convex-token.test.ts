import { describe, expect, it, vi } from "vitest";
import { fetchConvexToken, readToken } from "./convex-token";

function network(...answers: (Response | Error)[]) {
  const fetched = vi.fn<typeof fetch>(async () => {
    const answer = answers.shift();
    if (!answer) throw new Error("asked too often");
    if (answer instanceof Error) throw answer;
    return answer;
  });
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

const offline = () => new TypeError("fetch failed");
const token = () => Response.json({ token: "t" });

function clock() {
  const waited: number[] = [];
  return { waited, wait: async (ms: number) => void waited.push(ms) };
}

describe("fetchConvexToken", () => {
  it("returns the token", async () => {
    const fetched = network(token());
    expect(await fetchConvexToken()).toBe("t");
    expect(fetched).toHaveBeenCalledWith("/api/auth/convex/token", expect.anything());
  });

  it("returns null for 401 without a retry", async () => {
    const { wait, waited } = clock();
    network(new Response(null, { status: 401 }));
    expect(await fetchConvexToken(wait)).toBeNull();
    expect(waited).toEqual([]);
    network(new Response(null, { status: 503 }), new Response(null, { status: 403 }), Response.json(null), offline(), token());
    expect(await fetchConvexToken(wait)).toBe("t");
    expect(waited).toHaveLength(4);
  });

  it("doubles the delay from 100 ms up to 1000 ms, with up to 50% jitter", { tags: "@waits-100-ms-then-twice-long" }, async () => {
    for (const [chance, expected] of [
      [0, [100, 200, 400, 800, 1000, 1000]],
      [1, [50, 100, 200, 400, 500, 500]],
    ] as const) {
      vi.spyOn(Math, "random").mockReturnValue(chance);
      const { wait, waited } = clock();
      network(...expected.map(offline), token());
      await fetchConvexToken(wait);
      expect(waited).toEqual(expected);
    }
  });

  it("gives up after 10 retries and throws the network's error", { tags: "@gives-up-after-10-retries-throws" }, async () => {
    const { wait, waited } = clock();
    const fetched = network(...Array.from({ length: 11 }, offline), token());
    await expect(fetchConvexToken(wait)).rejects.toThrow("fetch failed");
    expect(fetched).toHaveBeenCalledTimes(11);
    expect(waited).toHaveLength(10);
  });
});

describe("readToken", () => {
  it("returns a token's user id and expiry", () => {
    const payload = Buffer.from(JSON.stringify({ sub: "user-ÿ", exp: 1700000000 })).toString("base64url");
    expect(readToken(`h.${payload}.s`)?.expiresAt).toBe(1700000000000);
    expect(readToken(`h.${Buffer.from('{"sub":"u1","exp":1}').toString("base64url")}.s`)).toEqual({ userId: "u1", expiresAt: 1000 });
  });

  it.each(["", "x", "a.b.c", "h.e30.s"])("returns null for %j", (bad) => expect(readToken(bad)).toBeNull());
});
