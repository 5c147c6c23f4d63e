/** Preloaded (`node --import`): sends requests to FAKE_PROVIDERS as `/{host}{path}`. Refuses hosts that are not in PROVIDER_HOSTS. */
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";

const fakeProviders = process.env["FAKE_PROVIDERS"] ?? "";
const hosts = new Set((process.env["PROVIDER_HOSTS"] ?? "").split(","));
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

function redirected(url: URL): URL {
  if (url.protocol !== "https:" || !hosts.has(url.host)) throw new Error(`A test asked for ${url.origin}`);
  return new URL(`/${url.host}${url.pathname}${url.search}`, fakeProviders);
}

const realFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (LOOPBACK.has(url.hostname)) return realFetch(input, init);
  const there = redirected(url);
  return realFetch(input instanceof Request ? new Request(there, input) : there, init);
};

const redirectedRequest = (url: URL, options: https.RequestOptions, listener: (response: http.IncomingMessage) => void) =>
  http.request(redirected(url), options, listener);
Object.assign(https, { request: redirectedRequest });
syncBuiltinESMExports();
