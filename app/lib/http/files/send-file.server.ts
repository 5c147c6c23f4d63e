import { once } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

const PIECE = 256 * 1024;
const IDLE_MS = 4_000;
const plain = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
const encrypted = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

const freeBuffers: Buffer[] = [];
const MAX_FREE_BUFFERS = 8;

/** Posts a file in pieces, so that memory use does not depend on its size; `fetch` copies its input twice. */
export async function sendFile(
  address: string,
  path: string,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<{ status: number; text: string }> {
  const file = await open(path);
  const piece = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(PIECE);
  try {
    const { size } = await file.stat();
    const secure = address.startsWith("https:");
    const options = { agent: secure ? encrypted : plain, method: "POST", headers: { ...headers, "Content-Length": size }, signal };
    const outgoing = secure ? httpsRequest(address, options) : httpRequest(address, options);
    const [answered, sent] = await Promise.allSettled([
      answerOf(outgoing).finally(() => outgoing.writableFinished || outgoing.destroy()),
      sendAll(file, size, piece, outgoing).catch((error: unknown) => {
        outgoing.destroy(asError(error));
        throw error;
      }),
    ]);
    // A buffer of an incomplete transfer may still be in use.
    if (sent.status === "fulfilled" && freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(piece);
    if (answered.status === "rejected") throw asError(answered.reason);
    return answered.value;
  } finally {
    await file.close();
  }
}

async function sendAll(file: FileHandle, size: number, piece: Buffer, outgoing: ClientRequest): Promise<void> {
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) throw new Error("The file became shorter while it was sent");
    await write(outgoing, piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  outgoing.end();
}

async function answerOf(outgoing: ClientRequest): Promise<{ status: number; text: string }> {
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  if (!answer) throw new Error("No answer");
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

/** Resolves when the bytes may be overwritten. */
const write = (outgoing: ClientRequest, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => outgoing.write(bytes, (error) => (error ? reject(error) : resolve())));

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
