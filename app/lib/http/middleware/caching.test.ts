import { expect, it } from "vitest";
import { privateResponses } from "./caching.server";
import { answerOf } from "../testing";

const get = (headers: Record<string, string> = {}) => new Request("https://atelier.example/projects.data", { headers });

it("disables caching of pages", { tags: "@disables-caching-pages" }, async () => {
  const response = await answerOf(privateResponses, get());
  expect(response.headers.get("Cache-Control")).toBe("private, no-store");
  expect(response.headers.get("Vary")).toBe("Cookie");
});

it("caches prefetched data until the link is followed", async () => {
  expect((await answerOf(privateResponses, get({ "Sec-Purpose": "prefetch" }))).headers.get("Cache-Control")).toBe("private, max-age=10");
});

it("keeps a route's own Cache-Control", async () => {
  const inner = () => new Response("picture", { headers: { "Cache-Control": "private, max-age=31536000, immutable" } });
  const response = await answerOf(privateResponses, get(), { inner });
  expect(response.headers.get("Cache-Control")).toBe("private, max-age=31536000, immutable");
  expect(response.headers.has("Vary")).toBe(false);
});
