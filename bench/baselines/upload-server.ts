/** The least that a server of uploads can be: streams the body to a file, with its SHA-256, and answers that. */
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { listening } from "./listening.ts";

const folder = process.argv[2] ?? "";

const server = createServer((request, response) => {
  const hash = createHash("sha256");
  request.on("data", (chunk: Buffer) => hash.update(chunk));
  pipeline(request, createWriteStream(join(folder, randomUUID()))).then(
    () => response.end(hash.digest("hex")),
    () => response.destroy(),
  );
});

listening(server, () => {});
