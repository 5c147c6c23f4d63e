import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { listening } from "./listening.ts";

const path = process.argv[2] ?? "";
const server = createServer((_, response) => {
  response.writeHead(200, { "Content-Type": "image/webp", "Content-Length": statSync(path).size });
  createReadStream(path).pipe(response);
});
listening(server, () => {});
