import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startAppBackend } from "../../../tests/convex/app-backend.ts";
import { appServer, type Person, signUp } from "../../../tests/convex/backends.ts";
import type { AppConfig } from "~/config";
import { createAccessToken, hashAccessToken } from "~/features/accounts/session/access-token.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import { answerApiRequest } from "./answer-api-request.server";

let started: Awaited<ReturnType<typeof startAppBackend>>;
let config: AppConfig;
let ada: Person;
let token: string;
let tokenId: Id<"accessTokens">;
beforeAll(async () => {
  started = await startAppBackend();
  config = { ...started.config, accounts: { ...started.config.accounts, rateLimit: true } };
  ada = await signUp(started.backend, "ada");
  ({ token, tokenId } = await newToken());
});
afterAll(() => started.close());

async function newToken() {
  const created = createAccessToken();
  const server = await appServer(started.backend);
  const args = { sessionId: ada.sessionId, name: "Program", tokenHash: hashAccessToken(created), scopes: ["read" as const], days: null };
  return { token: created, tokenId: await server.mutation(api.accounts.accessTokens.create, args) };
}

let networks = 0;
function client() {
  networks += 1;
  const address = `192.0.2.${networks}`;
  return (path: string, bearer: string | null, init: RequestInit = {}) => {
    const context = new RouterContextProvider();
    context.set(configContext, config);
    context.set(clientAddressContext, address);
    const headers = bearer === null ? undefined : { Authorization: `Bearer ${bearer}` };
    return answerApiRequest(new Request(`https://atelier.example/api/v1${path}`, { ...init, headers }), context);
  };
}

const times = <Value>(count: number, each: () => Value): Value[] => Array.from({ length: count }, each);
const statusesOf = (answers: Response[]) => Object.groupBy(answers, ({ status }) => status);

it.each([
  ["an invalid query", "/projects?limit=0", {}],
  ["an invalid body", "/images/x/comments", { method: "POST", body: "{" }],
  ["an unknown address", "/nothing", {}],
  ["a wrong method", "/projects", { method: "DELETE" }],
  ["a valid query", "/projects", {}],
])("counts requests with unknown tokens and %s per address", async (_what, path, init) => {
  const send = client();
  const answers = await Promise.all(times(200, () => send(path, createAccessToken(), init)));
  expect(statusesOf(answers)).toMatchObject({ 401: { length: 60 }, 429: { length: 140 } });
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(Number(refused?.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({ error: { code: "rate_limited", message: expect.stringMatching(/Try again in \d+ s\./) } });
  expect((await send("/projects", null)).status).toBe(429);
  expect((await client()("/projects", null)).status).toBe(401);
});

it("counts parallel requests with the same unknown token one by one", async () => {
  const send = client();
  const unknown = createAccessToken();
  await Promise.all(times(61, () => send("/projects", unknown)));
  expect((await send("/projects", null)).status).toBe(429);
});

it("does not count requests with a valid token against the limit of the address", async () => {
  const send = client();
  const fresh = await newToken();
  const answers = await Promise.all(times(100, () => send("/projects", fresh.token)));
  expect(statusesOf(answers)).toMatchObject({ 200: { length: 100 } });
  const invalid = await Promise.all(times(100, () => send("/projects?limit=0", fresh.token)));
  expect(statusesOf(invalid)).toMatchObject({ 400: { length: 100 } });
  expect(invalid.at(-1)?.headers.get("RateLimit-Remaining")).toBe("400");
  expect((await send("/projects", null)).status).toBe(401);
});

it("counts a token that was revoked after its check", async () => {
  const send = client();
  expect((await send("/projects", token)).status).toBe(200);
  await ada.mutation(api.accounts.accessTokens.revoke, { id: tokenId });
  const answers = [];
  for (const _ of times(62, () => null)) answers.push(await send("/projects", token));
  expect(statusesOf(answers)).toMatchObject({ 401: { length: 60 }, 429: { length: 2 } });
});
