import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchPublic, isPublicAddress } from "./public-fetch.server";

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((incoming, response) => {
    if (incoming.url === "/loop") return response.writeHead(302, { Location: "/loop" }).end();
    if (incoming.url === "/moved") return response.writeHead(302, { Location: "/picture" }).end();
    if (incoming.url === "/inside") return response.writeHead(302, { Location: "http://127.0.0.2/picture" }).end();
    if (incoming.url === "/missing") return response.writeHead(404).end();
    if (incoming.url === "/silent") return response.write("x");
    response.end("x".repeat(1000));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  origin = `http://localhost:${address && typeof address === "object" ? address.port : 0}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { maxBytes: 1000, timeoutMs: 2000 };
const local = { protocol: "http:", request, isAllowed: (address: string) => address === "127.0.0.1" || address === "::1" };
const get = (path: string, more = {}) => fetchPublic(origin + path, { ...limits, ...more }, local);

describe("fetchPublic", () => {
  it("returns the file, also behind a redirect", async () => {
    expect((await get("/picture")).length).toBe(1000);
    expect((await get("/moved")).length).toBe(1000);
  });

  it("rejects a file that is too large, a missing one and endless redirects", async () => {
    await expect(get("/picture", { maxBytes: 999 })).rejects.toThrow("too large");
    await expect(get("/missing")).rejects.toThrow("404");
    await expect(get("/loop")).rejects.toThrow("redirects");
  });

  it("rejects an answer that takes too long", async () => {
    await expect(get("/silent", { timeoutMs: 50 })).rejects.toThrow("aborted");
  });

  it("rejects a redirect to an address that is not allowed", async () => {
    await expect(get("/inside")).rejects.toThrow("not public");
  });

  it("rejects a host name that resolves to a private address", async () => {
    await expect(fetchPublic(origin, limits, { ...local, isAllowed: isPublicAddress })).rejects.toThrow("not public");
  });

  it.each([
    "http://example.com/a.png",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://2130706433/",
    "https://u:p@example.com/",
    "file:///etc/passwd",
  ])("rejects %s without a connection", async (address) => {
    await expect(fetchPublic(address, limits)).rejects.toThrow(/not (?:allowed|public)/);
  });
});

it.each([
  "10.1.2.3",
  "127.0.0.1",
  "169.254.169.254",
  "172.31.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "::1",
  "fe80::1",
  "fc00::1",
  "::ffff:8.8.8.8",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "2001:db8::1",
  "nonsense",
])("does not count %s as a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(["8.8.8.8", "172.32.0.1", "2606:4700::1111"])("counts %s as a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
