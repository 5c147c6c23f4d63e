import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../memory/collect-garbage.ts";
import type { DelayLine } from "../simulation/delay-line.ts";
import { ProtocolError } from "./messages.ts";
import type { SocketMemory } from "./socket-memory.ts";

const MAX_IN_FLIGHT = 1_000;
const RESUME_CHECK_MS = 5;
const FRAME_HEADER_BYTES = 6;

export type InboxOptions = {
  websocket: WebSocket;
  socket: Duplex;
  memory: SocketMemory;
  requests: () => number;
  delay: DelayLine | null;
  receive: (text: string) => Promise<void>;
  fail: (error: unknown) => void;
};

const collectGarbage = garbageCollector();

export type Inbox = { close(): void };

export function createInbox({ websocket, socket, memory, requests, delay, receive, fail }: InboxOptions): Inbox {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let partial = 0;
  let lastChunk = 0;
  let busy = false;
  let closed = false;

  const count = () => memory.set("received", partial + waitingBytes);
  const tooMuch = () =>
    memory.isWaiting || waiting.length + requests() >= MAX_IN_FLIGHT || waitingBytes + memory.bytes("requests") >= memory.limit / 2;
  const resumeBelowLimit = () => {
    if (closed || !websocket.isPaused) return;
    if (!tooMuch()) websocket.resume();
    else setTimeout(resumeBelowLimit, RESUME_CHECK_MS);
  };
  const close = () => {
    closed = true;
    waiting = [];
    partial = 0;
    waitingBytes = 0;
    memory.setInHand(0);
    count();
  };

  const drain = async () => {
    busy = true;
    let handledBytes = 0;
    try {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        const bytes = Buffer.byteLength(text);
        waitingBytes -= bytes;
        handledBytes += bytes;
        memory.setInHand(bytes);
        count();
        await receive(text);
        memory.setInHand(0);
        count();
      }
      if (handledBytes >= LARGE_MESSAGE_BYTES) collectGarbage(handledBytes);
    } catch (error) {
      close();
      fail(error);
    } finally {
      busy = false;
    }
    resumeBelowLimit();
  };

  const arrive = (text: string) => {
    if (closed) return;
    waiting.push(text);
    if (tooMuch()) websocket.pause();
    if (!busy) void drain();
  };

  // Runs before the websocket's listener, which parses the messages counted here.
  socket.prependListener("data", (chunk: Buffer) => {
    if (closed) return;
    lastChunk = chunk.length;
    partial += chunk.length;
    if (partial >= LARGE_MESSAGE_BYTES) collectGarbage(chunk.length);
    count();
    if (!memory.isWaiting || websocket.isPaused) return;
    websocket.pause();
    resumeBelowLimit();
  });
  const ofControlFrame = (data: Buffer) => void (partial = Math.max(0, partial - data.length - FRAME_HEADER_BYTES));
  websocket.on("ping", ofControlFrame).on("pong", ofControlFrame);
  websocket.on("message", (data, isBinary) => {
    if (closed) return;
    if (partial >= LARGE_MESSAGE_BYTES) collectGarbage(partial);
    const text = textOf(data);
    const bytes = Buffer.byteLength(text);
    // The remaining bytes follow the complete message, so they arrived in the last chunk.
    partial = Math.max(0, Math.min(partial - bytes - FRAME_HEADER_BYTES, lastChunk));
    waitingBytes += bytes;
    count();
    if (closed) return;
    if (isBinary) {
      close();
      return fail(new ProtocolError("Messages must be text frames."));
    }
    if (delay) delay.push(() => arrive(text));
    else arrive(text);
  });
  return { close };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}
