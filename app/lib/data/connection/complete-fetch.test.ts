import { UNSAFE_decodeViaTurboStream as decodeViaTurboStream } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { completeFetch } from "./complete-fetch";

afterEach(() => void vi.unstubAllGlobals());

const LINE = '[{"_1":2},"name","Trash"]\n';

function brokenOff(): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(new TextEncoder().encode(LINE)).then(() => writer.abort(new TypeError("broken off")));
  return readable;
}

async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const others = process.rawListeners("unhandledRejection");
  const rejections: unknown[] = [];
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => rejections.push(reason));
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener as NodeJS.UnhandledRejectionListener);
  }
  return rejections;
}

it("rejects when a page's data breaks off, and leaves no rejection unhandled", async () => {
  vi.stubGlobal("fetch", async () => new Response(brokenOff()));
  const rejections = await unhandledDuring(() =>
    expect(completeFetch(new Request("http://localhost/trash.data"))).rejects.toThrow("broken off"),
  );
  expect(rejections).toEqual([]);
});

it("fails without the workaround for unhandled rejections in React Router", async () => {
  const rejections = await unhandledDuring(async () => {
    const { value, done } = await decodeViaTurboStream(brokenOff(), globalThis);
    expect(value).toEqual({ name: "Trash" });
    await done.catch(() => undefined);
  });
  expect(rejections).not.toEqual([]);
});
