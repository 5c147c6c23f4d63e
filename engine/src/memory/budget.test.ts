import { describe, expect, it } from "vitest";
import { LARGE_MESSAGE_BYTES } from "./collect-garbage.ts";
import { MemoryBudget, memoryLimits } from "./budget.ts";

const LIMITS = {
  anonymous: { connection: 10, address: 15, total: 30 },
  authenticated: { connection: 100, address: 200, total: 300 },
};

describe("a memory budget", () => {
  it("limits each connection, each address and the total", () => {
    const budget = new MemoryBudget(LIMITS);
    const [a, b, c, d] = ["1", "1", "2", "3"].map((address) => budget.open(address));
    expect(a?.resize(10)).toBeNull();
    expect(a?.resize(11)).toBe("connection");
    a?.resize(10);
    expect(b?.resize(5)).toBeNull();
    expect(b?.resize(6)).toBe("address");
    b?.resize(5);
    expect(c?.resize(10)).toBeNull();
    expect(d?.resize(6)).toBe("total");
    expect(d?.resize(5)).toBeNull();
    expect(budget.total).toBe(30);
  });

  it("frees the bytes of a closed connection", () => {
    const budget = new MemoryBudget(LIMITS);
    const [a, b] = [budget.open("1"), budget.open("1")];
    a.resize(10);
    expect(b.resize(10)).toBe("address");
    a.close();
    expect(b.resize(10)).toBeNull();
    a.resize(10);
    expect(budget.total).toBe(10);
  });

  it("keeps anonymous connections from using authenticated users' memory", () => {
    const budget = new MemoryBudget(LIMITS);
    for (const address of ["1", "2", "3"]) budget.open(address).resize(10);
    const user = budget.open("1");
    expect(user.setTier("authenticated")).toBeNull();
    expect(user.resize(100)).toBeNull();
    expect(user.setTier("anonymous")).toBe("connection");
  });

  it("lets one large anonymous message be handled at a time", () => {
    const budget = new MemoryBudget();
    const [first, second, small, user] = Array.from({ length: 4 }, () => budget.open("1"));
    user?.setTier("authenticated");
    for (const account of [first, second, user]) account?.setHandling(LARGE_MESSAGE_BYTES);
    small?.setHandling(LARGE_MESSAGE_BYTES - 1);
    const areWaiting = () => [first, second, small, user].map((account) => account?.isWaiting);
    expect(areWaiting()).toEqual([false, true, false, false]);
    first?.close();
    expect(areWaiting()).toEqual([false, false, false, false]);
  });

  it("allows one message of the maximum size, or 256 KiB where configured", () => {
    const size = 24 * 1024 * 1024;
    expect(new MemoryBudget().open("1").resize(size)).toBeNull();
    expect(new MemoryBudget().open("1").resize(size + 1)).toBe("connection");
    const small = () => new MemoryBudget(memoryLimits(256 * 1024)).open("1");
    expect(small().resize(256 * 1024)).toBeNull();
    expect(small().resize(256 * 1024 + 1)).toBe("connection");
  });
});
