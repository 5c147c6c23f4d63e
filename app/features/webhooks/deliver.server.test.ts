import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { isPublicAddress, type Network } from "~/lib/http/fetch/public-fetch.server";
import type { Id } from "#convex/_generated/dataModel";
import { type Delivery, deliver } from "./deliver.server";
import { createWebhookSecret } from "./webhook-secret.server";

type Received = { method: string | undefined; url: string | undefined; headers: IncomingMessage["headers"]; body: string };

let server: Server;
let origin: string;
const received: Received[] = [];
beforeAll(async () => {
  server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method, url, headers } = incoming;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      if (url === "/moved") return response.writeHead(308, { Location: "/hook" }).end();
      if (url === "/found") return response.writeHead(302, { Location: "/hook" }).end();
      if (url === "/inside") return response.writeHead(307, { Location: "http://127.0.0.2/hook" }).end();
      if (url === "/metadata") return response.writeHead(307, { Location: "http://169.254.169.254/latest" }).end();
      if (url === "/loop") return response.writeHead(307, { Location: "/loop" }).end();
      if (url === "/broken") return response.writeHead(500).end();
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  origin = `http://localhost:${address && typeof address === "object" ? address.port : 0}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void received.splice(0));

const { secret, sealedSecret } = createWebhookSecret(testConfig);
const local = { protocol: "http:", request, isAllowed: (address: string) => address === "127.0.0.1" || address === "::1" };
const delivery = (url: string): Delivery => ({
  id: "delivery1" as Id<"webhookDeliveries">,
  webhookId: "webhook1" as Id<"webhooks">,
  owner: "user1",
  attempts: 1,
  url,
  sealedSecret,
  event: "image.created",
  createdAt: Date.UTC(2026, 10, 26),
  projectId: "project1" as Id<"projects">,
  items: [{ designId: "design1", imageId: "image1" }, { designId: "design2" }],
  comment: { threadId: "thread1", commentId: "comment1" },
});

describe("deliver", () => {
  it("posts a signed event with ids and addresses", async () => {
    expect(await deliver(testConfig, delivery(`${origin}/hook`), local)).toEqual({ status: 204 });
    const [posted] = received;
    expect(posted).toMatchObject({ method: "POST", url: "/hook", headers: { "content-type": "application/json" } });
    const headers = Object.fromEntries(Object.entries(posted?.headers ?? {}).map(([name, value]) => [name, String(value)]));
    expect(JSON.parse(posted?.body ?? "")).toEqual({
      type: "image.created",
      timestamp: "2026-11-26T00:00:00.000Z",
      data: {
        projectId: "project1",
        items: [
          { type: "image", id: "image1", designId: "design1", url: `${testConfig.publicUrl}/design/design1/images/image1` },
          { type: "design", id: "design2", url: `${testConfig.publicUrl}/design/design2` },
        ],
        comment: { threadId: "thread1", commentId: "comment1" },
      },
    });
    expect(() => new Webhook(secret).verify(posted?.body ?? "", headers)).not.toThrow();
    expect(() => new Webhook(createWebhookSecret(testConfig).secret).verify(posted?.body ?? "", headers)).toThrow(
      "No matching signature found",
    );
  });

  it("follows a redirect that keeps the method, and reports others as failed", async () => {
    expect(await deliver(testConfig, delivery(`${origin}/moved`), local)).toEqual({ status: 204 });
    expect(received.map(({ url }) => url)).toEqual(["/moved", "/hook"]);
    expect(await deliver(testConfig, delivery(`${origin}/found`), local)).toEqual({
      status: 302,
      problem: "The server responded with 302.",
    });
    expect(await deliver(testConfig, delivery(`${origin}/loop`), local)).toEqual({ problem: "There are too many redirects." });
    expect(await deliver(testConfig, delivery(`${origin}/broken`), local)).toEqual({
      status: 500,
      problem: "The server responded with 500.",
    });
  });

  it("sends nothing to a redirect's private address", async () => {
    for (const path of ["/inside", "/metadata"])
      expect(await deliver(testConfig, delivery(origin + path), local)).toEqual({ problem: "The address is not public." });
    expect(received.map(({ url }) => url)).toEqual(["/inside", "/metadata"]);
  });

  it("sends nothing to a name that resolves to a private address", async () => {
    const outcome = await deliver(testConfig, delivery(`${origin}/hook`), { ...local, isAllowed: isPublicAddress });
    expect(outcome).toEqual({ problem: "The address is not public." });
    expect(received).toEqual([]);
  });

  it("connects to the checked address of a name that then resolves to a private one", async () => {
    const addresses = ["127.0.0.1", "127.0.0.2"];
    const rebinding: Network = {
      ...local,
      isAllowed: (address) => address === "127.0.0.1",
      lookup: (_, __, callback) => callback(null, [{ address: addresses.shift() ?? "", family: 4 }]),
    };
    const url = `http://rebinding.example:${new URL(origin).port}/hook`;
    expect(await deliver(testConfig, delivery(url), rebinding)).toEqual({ status: 204 });
    expect(addresses).toEqual(["127.0.0.2"]);
    expect(await deliver(testConfig, delivery(url), rebinding)).toEqual({ problem: "The address is not public." });
    expect(received).toHaveLength(1);
  });

  it.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://169.254.169.254/",
    "https://localhost/",
    "http://example.com/",
    "https://u:p@x.example/",
  ])("refuses %s", async (url) => {
    expect((await deliver(testConfig, delivery(url))).problem).toMatch(/not (?:public|allowed)/);
  });
});
