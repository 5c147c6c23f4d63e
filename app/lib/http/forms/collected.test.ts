import { once } from "node:events";
import { expect, it } from "vitest";
import { collectChunks } from "./collected.server";

const text = (chunk: Uint8Array | undefined) => Buffer.from(chunk ?? []).toString();

it("combines consecutive writes into one chunk, and ends", async () => {
  const { body, into } = collectChunks();
  into.cork();
  for (const piece of ["<html>", "<body>", "…"]) into.write(piece);
  into.uncork();
  const reader = body.getReader();
  expect(text((await reader.read()).value)).toBe("<html><body>…");
  into.end("</html>");
  expect(text((await reader.read()).value)).toBe("</html>");
  expect((await reader.read()).done).toBe(true);
});

it("applies backpressure, and ends the writer when the reader cancels", async () => {
  const { body, into } = collectChunks();
  expect(into.write(Buffer.alloc(1024 * 1024))).toBe(false);
  const reader = body.getReader();
  await Promise.all([once(into, "drain"), reader.read()]);
  await Promise.all([once(into, "close"), reader.cancel()]);
  expect(into.destroyed).toBe(true);
});

it("fails for the reader when the writer fails", async () => {
  const { body, into } = collectChunks();
  into.on("error", () => {});
  into.destroy(new Error("The page broke"));
  await expect(body.getReader().read()).rejects.toThrow("The page broke");
});
