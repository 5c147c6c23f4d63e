import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HttpSocket } from "./http-socket";

type Sent = { url: string; session: string | null; credentials: string | undefined; body: string | undefined };

let sent: Sent[];
let events: TransformStream<string, string>;
let answer: () => Promise<Response>;

beforeEach(() => {
  sent = [];
  events = new TransformStream();
  answer = async () => new Response(null, { status: 204 });
  vi.stubGlobal("fetch", async (url: string, { headers, body, credentials }: RequestInit) => {
    const session = new Headers(headers).get("X-Sync-Session");
    sent.push({ url, session, credentials, body: typeof body === "string" ? body : undefined });
    return session === null ? new Response(events.readable.pipeThrough(new TextEncoderStream())) : answer();
  });
});
afterEach(() => void vi.unstubAllGlobals());

function open() {
  const socket = new HttpSocket("wss://atelier.example/convex/api/1.48.0/sync");
  const writer = events.writable.getWriter();
  const received: string[] = [];
  const closed: unknown[] = [];
  Object.assign(socket, {
    onmessage: ({ data }: MessageEvent<string>) => void received.push(data),
    onclose: ({ code }: CloseEvent) => void closed.push(code),
  });
  return { socket, received, closed, receive: (text: string) => void writer.write(text), end: () => void writer.close() };
}

it("receives messages that arrive in parts, and sends in order", async () => {
  const { socket, received, receive } = open();
  socket.send("connect");
  receive("data: the session\n\nda");
  receive('ta: {"type":"Ping"}\n\ndata: second\n\n');
  await vi.waitFor(() => expect(received).toEqual(['{"type":"Ping"}', "second"]));
  socket.send("one");
  socket.send("two");
  await vi.waitFor(() => expect(sent.slice(1).flatMap(({ body }) => body?.split("\n"))).toEqual(["connect", "one", "two"]));
  expect(sent[0]).toMatchObject({ url: "https://atelier.example/convex/api/1.48.0/sync-stream", credentials: "omit" });
  expect(sent[1]?.session).toBe("the session");
});

it("sends large messages in several requests", async () => {
  const { socket, receive } = open();
  const large = "x".repeat(100 * 1024);
  for (const message of [large, large, "small"]) socket.send(message);
  receive("data: the session\n\n");
  await vi.waitFor(() => expect(sent.slice(1).map(({ body }) => body?.length)).toEqual([large.length, large.length + 6]));
});

it.each([
  ["the stream ends", ({ end }: ReturnType<typeof open>) => end()],
  ["a message is rejected", ({ socket }: ReturnType<typeof open>) => socket.send("hello")],
])("closes once when %s", async (_when, fail) => {
  answer = async () => new Response(null, { status: 404 });
  const opened = open();
  opened.receive("data: the session\n\n");
  await vi.waitFor(() => expect(opened.socket.readyState).toBe(WebSocket.OPEN));
  fail(opened);
  await vi.waitFor(() => expect(opened.closed).toEqual([1006]));
  opened.socket.close();
  expect(opened.closed).toEqual([1006]);
});
