import { expect, it } from "vitest";
import { privateAnswers } from "./caching.server";
import { answerOf } from "./testing";

const get = (headers: Record<string, string> = {}) => new Request("https://atelier.example/projects.data", { headers });

it("keeps pages out of every cache", async () => {
  const response = await answerOf(privateAnswers, get());
  expect(response.headers.get("Cache-Control")).toBe("private, no-store");
  expect(response.headers.get("Vary")).toBe("Cookie");
});

it("keeps what was fetched ahead until its link is followed", async () => {
  expect((await answerOf(privateAnswers, get({ "Sec-Purpose": "prefetch" }))).headers.get("Cache-Control")).toBe("private, max-age=10");
});

it("leaves a route that says how it is cached alone", async () => {
  const inner = () => new Response("picture", { headers: { "Cache-Control": "private, max-age=31536000, immutable" } });
  const response = await answerOf(privateAnswers, get(), { inner });
  expect(response.headers.get("Cache-Control")).toBe("private, max-age=31536000, immutable");
  expect(response.headers.has("Vary")).toBe(false);
});
