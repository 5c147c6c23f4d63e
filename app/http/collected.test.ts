import { once } from "node:events";
import { expect, it } from "vitest";
import { collected } from "./collected.server";

const text = (chunk: Uint8Array | undefined) => Buffer.from(chunk ?? []).toString();

it("passes on as one piece what was written in one go, and ends", async () => {
  const { body, into } = collected();
  into.cork();
  for (const piece of ["<html>", "<body>", "…"]) into.write(piece);
  into.uncork();
  const reader = body.getReader();
  expect(text((await reader.read()).value)).toBe("<html><body>…");
  into.end("</html>");
  expect(text((await reader.read()).value)).toBe("</html>");
  expect((await reader.read()).done).toBe(true);
});

it("holds the writer back while nobody reads, and is over for it when the reader leaves", async () => {
  const { body, into } = collected();
  expect(into.write(Buffer.alloc(1024 * 1024))).toBe(false);
  const reader = body.getReader();
  await Promise.all([once(into, "drain"), reader.read()]);
  await Promise.all([once(into, "close"), reader.cancel()]);
  expect(into.destroyed).toBe(true);
});

it("breaks off for the reader when the writer fails", async () => {
  const { body, into } = collected();
  into.on("error", () => {});
  into.destroy(new Error("The page broke"));
  await expect(body.getReader().read()).rejects.toThrow("The page broke");
});
