import { expect, it } from "vitest";
import { createBufferingWatch, type ReceivedChunk } from "./buffering-proxy.server";

const MIB = 1024 * 1024;

function found(chunks: ReceivedChunk[]): number {
  let count = 0;
  const recordChunk = createBufferingWatch(() => count++);
  for (const chunk of chunks) recordChunk("upload", chunk);
  return count;
}

const chunks = (every: number, took: number, bytes = MIB) =>
  [0, 1, 2, 3, 4].map((index) => ({ bytes, startedAt: index * every, endedAt: index * every + took }));

it("recognises a proxy that forwards complete chunks, once", () => {
  expect(found(chunks(8000, 50))).toBe(1);
});

it.each([
  ["a slow line without buffering", chunks(8000, 7900)],
  ["a fast line", chunks(300, 20)],
  ["small chunks", chunks(8000, 5, 1000)],
  ["one lost connection", [...chunks(8000, 7900), { bytes: MIB, startedAt: 90_000, endedAt: 90_010 }]],
])("ignores %s", (_line, received) => {
  expect(found(received)).toBe(0);
});
