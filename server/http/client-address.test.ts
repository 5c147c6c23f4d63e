import { createServer, request as httpRequest } from "node:http";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { CLIENT_ADDRESS_HEADER, markClientAddress, plainAddress } from "./client-address.ts";

async function seen(headers: Record<string, string>, hops: number): Promise<NodeJS.Dict<string | string[]>> {
  const server = createServer((incoming, response) => {
    markClientAddress(incoming, hops);
    response.end(JSON.stringify(incoming.headers));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const request = httpRequest({ port, host: "127.0.0.1", headers }).end();
  const [answer] = await once(request, "response");
  const chunks = await Array.fromAsync(answer);
  server.close();
  return JSON.parse(Buffer.concat(chunks.map((chunk) => Buffer.from(String(chunk)))).toString());
}

describe("the client's address", () => {
  it.each([
    { hops: 0, forwarded: "203.0.113.7", is: "127.0.0.1" },
    { hops: 1, forwarded: "203.0.113.7", is: "203.0.113.7" },
    { hops: 1, forwarded: "198.51.100.1, 203.0.113.7", is: "203.0.113.7" },
    { hops: 2, forwarded: "198.51.100.1, 203.0.113.7", is: "198.51.100.1" },
    { hops: 2, forwarded: "6.6.6.6, 198.51.100.1, 203.0.113.7", is: "198.51.100.1" },
    { hops: 1, forwarded: "6.6.6.6, [2001:db8::1]:443", is: "2001:db8::1" },
    { hops: 1, forwarded: "6.6.6.6, nonsense", is: "127.0.0.1" },
    { hops: 2, forwarded: "203.0.113.7", is: "203.0.113.7" },
    { hops: 1, forwarded: "", is: "127.0.0.1" },
  ])(
    "is $is behind $hops trusted proxies that send '$forwarded'",
    { tags: "@behind-trusted-proxies-send" },
    async ({ hops, forwarded, is }) => {
      expect((await seen({ "X-Forwarded-For": forwarded }, hops))[CLIENT_ADDRESS_HEADER]).toBe(is);
    },
  );

  it("ignores headers of clients", { tags: "@ignores-headers-clients" }, async () => {
    const claims = {
      "X-Atelier-Client-Address": "6.6.6.6",
      "X-Real-IP": "6.6.6.6",
      Forwarded: "for=6.6.6.6",
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
    };
    const headers = await seen(claims, 0);
    expect(headers[CLIENT_ADDRESS_HEADER]).toBe("127.0.0.1");
    expect(JSON.stringify(headers)).not.toMatch(/6\.6\.6\.6|evil/);
  });

  it("is normalized to plain notation", () => {
    for (const mapped of [
      "::ffff:192.0.2.1",
      "::FFFF:c000:201",
      "0:0:0:0:0:ffff:192.0.2.1",
      "0000::ffff:c000:0201",
      "[::ffff:c000:201]:443",
    ])
      expect(plainAddress(mapped)).toBe("192.0.2.1");
    for (const other of ["::1", "2001:db8::1", "::ffff:0:192.0.2.1", "64:ff9b::192.0.2.1", "fe80::1%eth0"])
      expect(plainAddress(other)).toBe(other);
    expect(plainAddress(" 192.0.2.1:80 ")).toBe("192.0.2.1");
    expect(plainAddress("unknown")).toBeNull();
  });
});
