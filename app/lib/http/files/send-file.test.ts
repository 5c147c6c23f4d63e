import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sendFile } from "./send-file.server";

let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => answer(request, response));
let address: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "send-file-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const listening = server.address();
  address = `http://127.0.0.1:${listening && typeof listening === "object" ? listening.port : 0}/upload`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const never = () => new AbortController().signal;

async function fileOf(bytes: Buffer): Promise<string> {
  const path = join(folder, sha256(bytes));
  await writeFile(path, bytes);
  return path;
}

describe("sendFile", () => {
  it("sends files of any size completely and concurrently, with their headers", async () => {
    answer = (request, response) => {
      void buffer(request).then((body) => {
        const { method, headers } = request;
        response.writeHead(200).end([method, headers["content-type"], headers["content-length"], sha256(body)].join(" "));
      });
    };
    const files = [0, 1, 262_143, 262_144, 262_145, 3_000_000, 2_000_000, 1_234_567, 524_288, 5_000_001].map((size) => randomBytes(size));
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        files.map(async (bytes) => sendFile(address, await fileOf(bytes), { headers: { "Content-Type": "image/png" }, signal: never() })),
      );
      expect(answers).toEqual(files.map((bytes) => ({ status: 200, text: `POST image/png ${bytes.length} ${sha256(bytes)}` })));
    }
  });

  it("returns an early response of the server", async () => {
    answer = (request, response) => {
      request.pause();
      response.writeHead(401).end("no");
    };
    const path = await fileOf(randomBytes(20_000_000));
    expect(await sendFile(address, path, { headers: {}, signal: never() })).toEqual({ status: 401, text: "no" });
  });

  it("fails without a server, file or timely response, or if the connection breaks", async () => {
    const path = await fileOf(randomBytes(3_000_000));
    answer = (request) => void request.once("data", () => request.socket.destroy());
    await expect(sendFile(address, path, { headers: {}, signal: never() })).rejects.toBeInstanceOf(Error);
    answer = () => {};
    await expect(sendFile(address, path, { headers: {}, signal: AbortSignal.timeout(50) })).rejects.toBeInstanceOf(Error);
    await expect(sendFile("http://127.0.0.1:1/", path, { headers: {}, signal: never() })).rejects.toThrow("ECONNREFUSED");
    await expect(sendFile(address, join(folder, "none"), { headers: {}, signal: never() })).rejects.toThrow("ENOENT");
  });
});
