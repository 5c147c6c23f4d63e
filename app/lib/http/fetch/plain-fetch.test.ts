import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, globalAgent } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { rootCertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plainFetch } from "./plain-fetch.server";

let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => answer(request, response));
let address: string;
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/query?a=b`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const post = { method: "POST", headers: { "Content-Type": "application/json", Authorization: "Bearer x" }, body: '{"name":"ü"}' };

describe("a call", () => {
  it("sends and returns the same as fetch", async () => {
    answer = (request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        const received = { method, url, body, type: headers["content-type"], by: headers.authorization, length: headers["content-length"] };
        response.writeHead(560).write("{");
        response.end(`${JSON.stringify(received).slice(1)}\n`);
      });
    };
    const seen = async (response: Response) => [response.status, response.ok, await response.clone().json(), await response.text()];
    expect(await seen(await plainFetch(address, post, 5000))).toEqual(await seen(await fetch(address, post)));
    expect(await seen(await plainFetch(address, { ...post, headers: new Headers(post.headers) }, 5000))).toEqual(
      await seen(await fetch(address, post)),
    );
    const get = await seen(await plainFetch(address, undefined, 5000));
    expect(get[2]).toMatchObject({ method: "GET", body: "" });
  });

  it("reuses a connection", async () => {
    const ports = new Set<number | undefined>();
    answer = (request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    };
    for (let n = 0; n < 5; n++) await (await plainFetch(address, post, 5000)).text();
    expect(ports.size).toBe(1);
  });

  it("fails when the response is cut off or times out", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "Content-Length": 10 }).write("{");
      response.destroy();
    };
    await expect(plainFetch(address, post, 5000)).rejects.toBeInstanceOf(Error);
    answer = () => {};
    await expect(plainFetch(address, post, 20)).rejects.toThrow("No answer within 20 ms");
    answer = (_, response) => void response.writeHead(200).write("{");
    await expect(plainFetch(address, post, 50)).rejects.toBeInstanceOf(Error);
  });

  it("delegates other requests to fetch", async () => {
    answer = (request, response) => void text(request).then((body) => response.end(body));
    expect(await (await plainFetch(new Request(address, post), undefined, 5000)).text()).toBe(post.body);
    expect(await (await plainFetch(address, { ...post, body: new Blob(["x"]) }, 5000)).text()).toBe("x");
  });
});

describe("a call over https", () => {
  const tls = fileURLToPath(new URL("../../../../tests/fixtures/tls/localhost", import.meta.url));
  const [cert, key] = [readFileSync(`${tls}.crt`, "utf8"), readFileSync(`${tls}.key`, "utf8")];
  const connections = new Set<number | undefined>();
  const secure = createSecureServer({ cert, key }, (request, response) => {
    connections.add(request.socket.remotePort);
    void text(request).then((body) => {
      const isGzip = request.headers["accept-encoding"] === "gzip";
      if (isGzip) response.setHeader("Content-Encoding", "gzip");
      response.statusCode = 560;
      response.end(isGzip ? gzipSync(`{"received":${body}}`) : `{"received":${body}}`);
    });
  });
  beforeEach(async () => {
    setDefaultCACertificates([...rootCertificates, cert]);
    await new Promise<void>((resolve) => secure.listen(0, "localhost", resolve));
  });
  afterEach(() => {
    setDefaultCACertificates([...rootCertificates]);
    secure.closeAllConnections();
    secure.close();
  });

  it("uses one open connection per simultaneous call, and reads compressed answers", async () => {
    const secureAddress = `https://localhost:${(secure.address() as AddressInfo).port}/api/query`;
    const call = async () => {
      const response = await plainFetch(secureAddress, post, 5000);
      return [response.status, await response.json()];
    };
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 9 }, call));
      expect(answers).toEqual(answers.map(() => [560, { received: { name: "ü" } }]));
    }
    expect(connections.size).toBe(9);
  });

  it("rejects a self-signed certificate", async () => {
    setDefaultCACertificates([...rootCertificates]);
    globalAgent.destroy();
    const secureAddress = `https://localhost:${(secure.address() as AddressInfo).port}/api/query`;
    await expect(plainFetch(secureAddress, post, 5000)).rejects.toThrow("self-signed certificate");
  });
});
