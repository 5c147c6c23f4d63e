/** Baseline of uploads: writes the body to a file and returns its SHA-256; `/decoded` decodes the picture first, at its smallest size. */
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import sharp from "sharp";
import { listening } from "./listening.ts";

const folder = process.argv[2] ?? "";

const server = createServer((request, response) => {
  const hash = createHash("sha256");
  request.on("data", (chunk: Buffer) => hash.update(chunk));
  const path = join(folder, randomUUID());
  pipeline(request, createWriteStream(path))
    .then(() => (request.url === "/decoded" ? sharp(path, { failOn: "error", sequentialRead: true }).resize(100).raw().toBuffer() : null))
    .then(
      () => response.end(hash.digest("hex")),
      () => response.destroy(),
    );
});

listening(server, () => {});
