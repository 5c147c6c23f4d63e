import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { newId } from "../values/ids.ts";
import { openArchive, writeFileArchive } from "./archive.ts";

it("writes an archive with files that an import accepts", async () => {
  const dir = mkdtempSync(join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [content, path, id] = ["a file", join(dir, "file"), newId(10_007)];
  writeFileSync(path, content);
  const digest = createHash("sha256").update(content).digest();
  const row = { id, creationTime: 1.5, size: content.length, contentType: "image/png", url: "https://a.example/api/storage/own" };
  const archivePath = join(dir, "files.zip");
  await writeFileArchive(archivePath, [{ path, ...row, sha256: digest.toString("hex") }]);

  const archive = await openArchive(archivePath);
  onTestFinished(() => archive.close());
  const [table] = archive.tables;
  expect([archive.tables.length, table?.name, table?.number]).toEqual([1, "_storage", 10_007]);
  expect(JSON.parse(await text((await table?.open()) ?? Readable.from([])))).toEqual({
    _id: id,
    _creationTime: 1.5,
    contentType: "image/png",
    internalId: "own",
    sha256: digest.toString("base64"),
    size: content.length,
  });
  const file = archive.files.get("")?.get(id);
  expect(file?.path).toBe(`_storage/${id}.png`);
  expect((await buffer((await file?.open()) ?? Readable.from([]))).toString()).toBe(content);
});
