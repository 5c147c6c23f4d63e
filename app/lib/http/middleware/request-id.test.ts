import { expect, it } from "vitest";
import { currentExchange, inExchange } from "../telemetry/current-request.server";
import { requestId } from "./request-id.server";
import { answerOf } from "../testing";

const get = (headers: Record<string, string> = {}) => new Request("https://atelier.example/", { headers });

it("gives each request an id, in the log and in the response", { tags: "@gives-each-request-id-log-response" }, async () => {
  const names = new Set<string>();
  for (let n = 0; n < 2; n++) {
    let inside = "";
    const inner = () => new Response((inside = currentExchange()?.id ?? ""));
    const response = await inExchange(() => answerOf(requestId, get(), { inner }));
    expect(response.headers.get("X-Request-ID")).toBe(inside);
    names.add(inside);
  }
  expect(names.size).toBe(2);
});

it("logs the pattern of the matched route", async () => {
  const pattern = await inExchange(async (exchange) => {
    await answerOf(requestId, get());
    return exchange.pattern;
  });
  expect(pattern).toBe("/");
});

it("keeps a valid id from a proxy", async () => {
  expect((await answerOf(requestId, get({ "X-Request-ID": "from-proxy_1" }))).headers.get("X-Request-ID")).toBe("from-proxy_1");
  expect((await answerOf(requestId, get({ "X-Request-ID": "a b; c" }))).headers.get("X-Request-ID")).not.toContain(" ");
  expect((await answerOf(requestId, get({ "X-Request-ID": "x".repeat(65) }))).headers.get("X-Request-ID")).toHaveLength(36);
});
