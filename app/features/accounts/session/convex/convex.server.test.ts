import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { makeFunctionReference } from "convex/server";
import { isRouteErrorResponse, RouterContextProvider, UNSAFE_ErrorResponseImpl as ErrorResponse } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renewVisitor, getVisitor } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { Unavailable } from "~/lib/http/unavailable.server";
import { convexFor } from "~/lib/data/convex.server";
import { convexMiddleware } from "./convex.server";

vi.mock("~/features/accounts/session/session.server", () => ({
  getVisitor: vi.fn<typeof getVisitor>(),
  renewVisitor: vi.fn<typeof renewVisitor>(),
  redirectToSignIn: () => new Response(null, { status: 302, headers: { Location: "/sign-in" } }),
}));

const TS = "AAECAwQFBgc=";
const getProjects = makeFunctionReference<"query", Record<string, never>, string[]>("projects:getProjects");
const rename = makeFunctionReference<"mutation", { id: string }, null>("projects:rename");

const getProject = makeFunctionReference<"query", { id: string }, string>("projects:getProjectById");

type Call = { path: string; token: string; body: Record<string, unknown> };
let server: Server;
let calls: Call[];
let answer: (token: string, path: unknown) => object;
let status: number;

beforeEach(async () => {
  calls = [];
  status = 200;
  answer = () => ({ status: "success", value: ["Nightfall"], logLines: [] });
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const path = request.url ?? "";
      const token = (request.headers.authorization ?? "").replace("Bearer ", "");
      calls.push({ path, token, body: text === "" ? {} : JSON.parse(text) });
      response.statusCode = status;
      response.end(JSON.stringify(path === "/api/query_ts" ? { ts: TS } : answer(token, calls.at(-1)?.body["path"])));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  vi.mocked(getVisitor).mockImplementation(async () => visitorWith("first"));
  vi.mocked(renewVisitor).mockImplementation(async () => visitorWith("renewed"));
});
afterEach(() => void server.close());

const visitorWith = (convexToken: string) => ({
  userId: "u",
  sessionId: "s",
  convexToken,
  user: { id: "u", name: "Ada", email: "ada@example.com", emailVerified: true, image: null },
});

const refused = (errorData: object) => ({ status: "error", errorMessage: "refused", errorData, logLines: [] });

function convex(url?: string) {
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const context = new RouterContextProvider();
  context.set(configContext, { ...testConfig, convexUrl: url ?? `http://127.0.0.1:${port}` });
  const request = new Request("http://localhost/projects");
  void convexMiddleware({ request, context, params: {}, url: new URL(request.url), pattern: "/projects" }, async () => new Response());
  return convexFor(context);
}

const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const statusOf = (thrown: unknown) =>
  thrown instanceof Response
    ? thrown.status
    : isRouteErrorResponse(thrown) || thrown instanceof ErrorResponse
      ? thrown.status
      : initStatus(thrown);

function initStatus(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null || !("init" in thrown)) return undefined;
  const { init } = thrown;
  return typeof init === "object" && init !== null && "status" in init ? init.status : undefined;
}

describe("preload", () => {
  it("runs a request's queries in one call, each once", async () => {
    answer = () => ({ status: "success", value: [{ value: ["Nightfall"] }, { value: "Dusk" }], logLines: [] });
    const client = convex();
    const [one, other, project] = await Promise.all([
      client.preload(getProjects, {}),
      client.preload(getProjects, {}),
      client.preload(getProject, { id: "1" }),
    ]);
    expect(one).toEqual({ query: "projects:getProjects", args: {}, ts: TS, value: ["Nightfall"] });
    expect(other.value).toBe(one.value);
    expect(project.value).toBe("Dusk");
    expect(calls.map(({ path }) => path).toSorted()).toEqual(["/api/query", "/api/query_ts"]);
    const load = calls.find(({ path }) => path === "/api/query");
    expect(load?.body["path"]).toBe("pages:load");
    expect(load?.token).toBe("first");
  });

  it("retries once with a renewed token when the first is rejected", async () => {
    answer = (token) => (token === "first" ? refused({ code: "unauthenticated" }) : { status: "success", value: [], logLines: [] });
    expect((await convex().preload(getProjects, {})).value).toEqual([]);
    expect(calls.filter(({ path }) => path === "/api/query").map(({ token }) => token)).toEqual(["first", "renewed"]);
  });

  it("refuses only the query that was refused", async () => {
    answer = () => ({ status: "success", value: [{ value: ["Nightfall"] }, { refusal: { code: "not_found" } }], logLines: [] });
    const client = convex();
    const [one, other] = await Promise.all([client.preload(getProjects, {}), thrownBy(client.preload(getProject, { id: "1" }))]);
    expect([one.value, statusOf(other)]).toEqual([["Nightfall"], 404]);
  });

  it("runs the queries one by one after a fault, so that only the faulty one fails", async () => {
    answer = (_token, path) =>
      path === "projects:getProjects"
        ? { status: "success", value: [], logLines: [] }
        : { status: "error", errorMessage: "Server Error", logLines: [] };
    const client = convex();
    const [one, other] = await Promise.all([client.preload(getProjects, {}), thrownBy(client.preload(getProject, { id: "1" }))]);
    expect([one.value, other]).toEqual([[], new Error("Server Error")]);
  });

  it("redirects to sign-in without a visitor, or if the renewed token fails", async () => {
    answer = () => refused({ code: "unauthenticated" });
    expect(statusOf(await thrownBy(convex().preload(getProjects, {})))).toBe(302);
    vi.mocked(getVisitor).mockResolvedValue(null);
    expect(statusOf(await thrownBy(convex().preload(getProjects, {})))).toBe(302);
  });

  it("answers 404 for a missing item and follows a query's redirect", async () => {
    answer = () => refused({ code: "not_found" });
    expect(statusOf(await thrownBy(convex().preload(getProjects, {})))).toBe(404);
    answer = () => refused({ redirect: "/billing" });
    const thrown = await thrownBy(convex().preload(getProjects, {}));
    expect(thrown instanceof Response && thrown.headers.get("Location")).toBe("/billing");
  });

  it("answers 503 while the deployment is down, and rethrows faults", async () => {
    expect(statusOf(await thrownBy(convex("http://127.0.0.1:9").preload(getProjects, {})))).toBe(503);
    answer = () => ({ status: "error", errorMessage: "Server Error", logLines: [] });
    expect(await thrownBy(convex().preload(getProjects, {}))).toEqual(new Error("Server Error"));
  });
});

describe("mutation", () => {
  it("rethrows rejections for the form", async () => {
    answer = () => refused({ code: "invalid", fieldErrors: { name: ["No."] } });
    expect(await thrownBy(convex().mutation(rename, { id: "1" }))).toMatchObject({ data: { code: "invalid" } });
  });
  it("follows a mutation's redirect with 303", async () => {
    answer = () => refused({ redirect: "/billing" });
    expect(statusOf(await thrownBy(convex().mutation(rename, { id: "1" })))).toBe(303);
  });
  it("is not retried when its outcome is unknown", async () => {
    status = 500;
    expect(await thrownBy(convex().mutation(rename, { id: "1" }))).toBeInstanceOf(Unavailable);
    expect(calls.length).toBe(1);
  });
});
