import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { listening } from "./listening.ts";
import { openTable } from "./table.ts";

const { sql, insert } = openTable(process.argv[2] ?? "");
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
let waiting: { socket: WebSocket; requestId: number; id: string }[] = [];

sockets.on("connection", (socket) => {
  socket.on("message", (data: Buffer) => {
    const message: { type: string; requestId: number; args: unknown[] } = JSON.parse(data.toString());
    if (message.type !== "Mutation") return;
    if (waiting.length === 0) {
      sql.exec("BEGIN");
      setImmediate(commit);
    }
    const id = randomUUID();
    insert.run(id, JSON.stringify(message.args[0]));
    waiting.push({ socket, requestId: message.requestId, id });
  });
});

function commit(): void {
  sql.exec("COMMIT");
  for (const { socket, requestId, id } of waiting)
    socket.send(`{"type":"MutationResponse","requestId":${requestId},"success":true,"result":"${id}"}`);
  waiting = [];
}

listening(server, () => sql.close());
