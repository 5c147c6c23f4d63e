import { WebSocket } from "ws";

export type Received = { type: string; [field: string]: unknown };

export async function openRawSocket(url: string, path = "/api/1.48.0/sync", options: { origin?: string } = {}) {
  const socket = new WebSocket(url.replace("http", "ws") + path, options);
  const received: Received[] = [];
  socket.on("message", (data) => received.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null")));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return {
    socket,
    received,
    closed,
    send: (...sent: unknown[]) => sent.forEach((message) => socket.send(typeof message === "string" ? message : JSON.stringify(message))),
  };
}

export const connectMessage = () => ({
  type: "Connect",
  sessionId: crypto.randomUUID(),
  connectionCount: 0,
  lastCloseReason: null,
  clientTs: Date.now(),
});

export const modifyMessage = (baseVersion: number, ...modifications: unknown[]) => ({
  type: "ModifyQuerySet",
  baseVersion,
  newVersion: baseVersion + 1,
  modifications,
});

export const addQuery = (queryId: number, udfPath: string, args: object = {}) => ({ type: "Add", queryId, udfPath, args: [args] });
