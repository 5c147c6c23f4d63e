import { createServer } from "node:http";
import { listening } from "./listening.ts";
import { openTable } from "./table.ts";

const { sql, get } = openTable(process.argv[2] ?? "");

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { args }: { args: [{ id: string }] } = JSON.parse(Buffer.concat(chunks).toString());
    const body = `{"status":"success","value":${String(get.get(args[0].id)?.["json"] ?? null)}}`;
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  });
});

listening(server, () => sql.close());
