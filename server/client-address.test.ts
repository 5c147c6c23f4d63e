import { createServer, request as httpRequest } from "node:http";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { CLIENT_ADDRESS_HEADER, markClientAddress, plainAddress } from "./client-address.ts";

/** What the server believes of a request that came from 127.0.0.1 with these headers. */
async function seen(headers: Record<string, string>, hops: number): Promise<NodeJS.Dict<string | string[]>> {
  const server = createServer((incoming, response) => {
    markClientAddress(incoming, hops);
    response.end(JSON.stringify(incoming.headers));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const asked = httpRequest({ port, host: "127.0.0.1", headers }).end();
  const [answer] = await once(asked, "response");
  const chunks = await Array.fromAsync(answer);
  server.close();
  return JSON.parse(Buffer.concat(chunks.map((chunk) => Buffer.from(String(chunk)))).toString());
}

describe("the client's address", () => {
  it.each([
    { hops: 0, told: "203.0.113.7", is: "127.0.0.1" },
    { hops: 1, told: "203.0.113.7", is: "203.0.113.7" },
    { hops: 1, told: "198.51.100.1, 203.0.113.7", is: "203.0.113.7" },
    { hops: 2, told: "198.51.100.1, 203.0.113.7", is: "198.51.100.1" },
    { hops: 2, told: "6.6.6.6, 198.51.100.1, 203.0.113.7", is: "198.51.100.1" },
    { hops: 1, told: "6.6.6.6, [2001:db8::1]:443", is: "2001:db8::1" },
    { hops: 1, told: "6.6.6.6, nonsense", is: "127.0.0.1" },
    { hops: 2, told: "203.0.113.7", is: "203.0.113.7" },
    { hops: 1, told: "", is: "127.0.0.1" },
  ])("behind $hops trusted proxies that say '$told' is $is", async ({ hops, told, is }) => {
    expect((await seen({ "X-Forwarded-For": told }, hops))[CLIENT_ADDRESS_HEADER]).toBe(is);
  });

  it("is nobody else's to claim", async () => {
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

  it("is written plainly", () => {
    expect(plainAddress("::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(plainAddress(" 192.0.2.1:80 ")).toBe("192.0.2.1");
    expect(plainAddress("unknown")).toBeNull();
  });
});
