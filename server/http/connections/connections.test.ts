import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { connectionsFor } from "./connection-limits.ts";

describe("connectionsFor", () => {
  const limits = (files: string) =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}                 files\n`;

  it.each([
    ["1048576              1048576", 8000],
    ["unlimited            unlimited", 8000],
    ["8192                 524288", 3840],
    ["1024                 1024", 256],
    ["256                  256", 64],
  ])("reserves descriptors for other files: %s", (files, connections) => {
    expect(connectionsFor(limits(files))).toBe(connections);
  });

  it("uses the default without system limits", () => {
    expect(connectionsFor(null)).toBe(8000);
  });
});

describe("ten thousand connections", () => {
  let server: ChildProcess | undefined;
  const held = new Set<Socket>();
  afterEach(() => {
    for (const socket of held) socket.destroy();
    server?.kill("SIGKILL");
  });

  async function start(descriptors: number): Promise<number> {
    const source = `
      import { createListener } from ${JSON.stringify(new URL("../listener.ts", import.meta.url).href)};
      import { log } from ${JSON.stringify(new URL("../../logging/log.ts", import.meta.url).href)};
      const fetch = async () => new Response("here");
      const server = createListener({ fetch, serveAsset: () => false, forward: null, origins: [], trustedProxyHops: 0, log });
      server.listen(0, "127.0.0.1", 1024, () => console.log(server.address().port));`;
    const command = `ulimit -n ${descriptors} && exec "$0" "$@"`;
    server = spawn("sh", ["-c", command, process.execPath, "--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
    const [port]: string[] = await once(createInterface({ input: server.stdout ?? process.stdin }), "line");
    return Number(port);
  }

  async function open(port: number, count: number): Promise<void> {
    let left = count;
    const one = async () => {
      while (left-- > 0) {
        const socket = connect(port, "127.0.0.1").on("error", () => undefined);
        held.add(socket);
        socket.once("close", () => held.delete(socket));
        await Promise.race([once(socket, "connect"), once(socket, "close")]);
      }
    };
    await Promise.all(Array.from({ length: 100 }, one));
  }

  const sendRequest = async (socket: Socket): Promise<string> => {
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [data] = await once(socket, "data");
    return String(data).split("\r\n", 1)[0] ?? "";
  };

  it("are accepted up to the limit, and again once others have closed", { tags: "slow", timeout: 120_000 }, async () => {
    const port = await start(4096);
    await open(port, 10_000);
    const room = connectionsFor("Max open files            4096                 4096                 files\n");
    await expect.poll(() => held.size, { timeout: 60_000 }).toBe(room);
    const [first, last] = [[...held].at(0), [...held].at(-1)];
    if (!first || !last) throw new Error("None is held");
    expect(await Promise.all([sendRequest(first), sendRequest(last)])).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
    for (const socket of held) socket.destroy();
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.status, { timeout: 60_000 }).toBe(200);
    expect(server?.exitCode).toBeNull();
  });
});
