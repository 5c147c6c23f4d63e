import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";
import { startProxy } from "./proxy.ts";

const file = (name: string) => readFile(fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url)));

/** Terminates TLS with the committed test certificate for localhost, as the one trusted hop that sets X-Forwarded-For. */
export async function startTlsProxy(port: number, target: () => number): Promise<{ close(): Promise<void> }> {
  const [key, cert] = await Promise.all([file("localhost.key"), file("localhost.crt")]);
  return startProxy({
    port,
    target,
    server: createServer({ key, cert }),
    headers: ({ socket }) => ({ "x-forwarded-for": socket.remoteAddress ?? "", "x-forwarded-proto": "https" }),
  });
}
