import { ConvexReactClient } from "convex/react";
import { makeFunctionReference } from "convex/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { browserConvex } from "./convex-browser-client";
import { isFresh, observedTime } from "./observed-time";
import { connectedConvex, markOpened } from "./connection";

class Line extends EventTarget {
  static opened: Line[] = [];
  readonly sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    super();
    Line.opened.push(this);
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.onclose?.();
  }
}

afterEach(() => {
  Line.opened = [];
  vi.unstubAllGlobals();
});

const encoded = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("base64");
};

describe("the observed time", () => {
  it("is null at first, so every answer is fresh", () => {
    vi.stubGlobal("WebSocket", Line);
    const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
    expect(observedTime(convex)).toBeNull();
    expect(isFresh(convex, encoded(1n))).toBe(true);
  });

  it("is the newest live answer's timestamp, read from the official client", async () => {
    vi.stubGlobal("WebSocket", Line);
    const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
    convex.watchQuery(makeFunctionReference<"query">("a:b"), {}).onUpdate(() => {});
    await Promise.resolve();
    const [line] = Line.opened;
    const version = (querySet: number, ts: bigint) => ({ querySet, identity: 0, ts: encoded(ts) });
    const startVersion = version(0, 0n);
    const endVersion = version(1, 5_000_000_000_000n);
    line?.onmessage?.({ data: JSON.stringify({ type: "Transition", startVersion, endVersion, modifications: [] }) });
    expect(observedTime(convex)).toBe(5_000_000_000_000n);
    expect(isFresh(convex, encoded(4_999_999_999_999n))).toBe(false);
    expect(isFresh(convex, encoded(5_000_000_000_000n))).toBe(true);
    expect(isFresh(convex, "?")).toBe(true);
  });
});

describe("connectedConvex", () => {
  it("opens no websocket before the client can fetch a token", async () => {
    vi.stubGlobal("WebSocket", Line);
    vi.stubGlobal("document", {});
    vi.stubGlobal("location", { origin: "http://localhost:1" });
    const convex = browserConvex({ kind: "sameOrigin", prefix: "/convex" });
    expect(browserConvex({ kind: "sameOrigin", prefix: "/convex" })).toBe(convex);
    expect(connectedConvex()).toBeNull();
    expect(Line.opened).toEqual([]);

    convex.setAuth(async () => "a token");
    markOpened();
    await vi.waitFor(() => expect(connectedConvex()).toBe(convex), 30_000);
    await vi.waitFor(() => expect(JSON.parse(Line.opened[0]?.sent[0] ?? "{}").type).toBe("Connect"), 30_000);
  });
});

describe("the official client's default constants (specification 9)", () => {
  it("keeps a prewarmed query for 5,000 ms", async () => {
    vi.stubGlobal("WebSocket", Line);
    vi.useFakeTimers();
    try {
      const convex = new ConvexReactClient("http://localhost:1", { skipConvexDeploymentUrlCheck: true });
      convex.prewarmQuery({ query: makeFunctionReference<"query">("a:b"), args: {} });
      const sentTypes = () => Line.opened.flatMap(({ sent }) => sent.flatMap((text): string[] => typesOf(JSON.parse(text))));
      await vi.advanceTimersByTimeAsync(4_900);
      expect(sentTypes()).toEqual(["Add"]);
      await vi.advanceTimersByTimeAsync(100);
      expect(sentTypes()).toEqual(["Add", "Remove"]);
    } finally {
      vi.useRealTimers();
    }
  });
});

const typesOf = ({ modifications = [] }: { modifications?: { type: string }[] }) => modifications.map(({ type }) => type);
