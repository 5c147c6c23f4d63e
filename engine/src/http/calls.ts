/** Functions over HTTP, for `ConvexHttpClient` (`convex/src/browser/http_client.ts`) and the documented HTTP API. */
import type { IncomingMessage } from "node:http";
import { redactOutcome } from "../auth/redact-outcome.ts";
import { APP, MAX_FUNCTION_PATH_LENGTH, requestedComponent, type ComponentPath } from "../functions/paths.ts";
import type { Call, FunctionRunner, Outcome, QueryOutcome } from "../functions/types.ts";
import { decodeTimestamp, encodeTimestamp } from "../sync/timestamp.ts";
import { parseJson } from "../values/parse-json.ts";
import type { Identity, Json, Timestamp } from "../values/types.ts";
import { isObject, readJsonObject } from "./body.ts";
import { cleanJson } from "./clean-json.ts";
import { badRequest, RequestError } from "./errors.ts";
import type { QueryCache } from "./query-cache.ts";
import { json, jsonText, type Reply } from "./reply.ts";
import type { Handler, Routes } from "./router.ts";

const MAX_BATCH_QUERIES = 1_000;

type Format = "json" | "convex_encoded_json";
type ParsedCall = { path: string; args: Json; format: Format };
type Authenticate = (request: IncomingMessage) => Promise<Identity>;

type SystemFunction = (call: Call) => Promise<Outcome>;
export type SystemFunctions = { query: SystemFunction; mutation: SystemFunction };

export function callRoutes(
  runner: FunctionRunner,
  authenticate: Authenticate,
  { query: systemQuery, mutation: systemMutation }: SystemFunctions,
  cache: Pick<QueryCache, "query">,
  redactErrors: boolean,
): Routes {
  const reply = (outcome: Outcome, format: Format, { kind }: Identity): Reply => {
    if (!outcome.ok && outcome.code !== undefined) throw new RequestError(503, outcome.code, outcome.message);
    return jsonText(outcomeText(redactOutcome(kind, outcome, redactErrors), format));
  };
  const query = async (parsed: ParsedCall, identity: Identity, at?: Timestamp): Promise<Reply> =>
    reply(await atSnapshot(cache.query(toCall(parsed, identity), at), at), parsed.format, identity);
  const isSystem = ({ path }: ParsedCall): boolean => path.startsWith("_system/");
  const callSystem = async (run: SystemFunction, parsed: ParsedCall, identity: Identity, componentPath?: Json): Promise<Reply> =>
    reply(await run({ ...toCall(parsed, identity), component: readComponent(componentPath) }), parsed.format, identity);
  const post =
    (run: (call: ParsedCall, identity: Identity, body: { [key: string]: Json }) => Promise<Reply>): Handler =>
    async ({ request }) => {
      const [identity, body] = await Promise.all([authenticate(request), readJsonObject(request)]);
      return run(parseCall(body), identity, body);
    };

  return {
    "POST /api/query": post((call, identity, body) =>
      isSystem(call) ? callSystem(systemQuery, call, identity, body.componentPath) : query(call, identity),
    ),
    "GET /api/query": async ({ request, query: search }) => {
      const [call, identity] = [parseSearch(search), await authenticate(request)];
      return isSystem(call) ? callSystem(systemQuery, call, identity) : query(call, identity);
    },
    "POST /api/query_ts": () => json({ ts: encodeTimestamp(runner.latest()) }),
    "GET /api/query_ts": () => json({ ts: encodeTimestamp(runner.latest()) }),
    "POST /api/query_at_ts": post((call, identity, body) => query(call, identity, parseTimestamp(body.ts))),
    "GET /api/query_at_ts": async ({ request, query: search }) =>
      query(parseSearch(search), await authenticate(request), parseTimestamp(search.get("ts") ?? undefined)),
    "POST /api/query_batch": async ({ request }) => {
      const [identity, body] = await Promise.all([authenticate(request), readJsonObject(request)]);
      const { queries } = body;
      if (!Array.isArray(queries)) throw badRequest("`queries` must be an array.");
      if (queries.length > MAX_BATCH_QUERIES) throw badRequest(`A batch can have at most ${MAX_BATCH_QUERIES} queries.`);
      const calls = queries.map((entry) => parseCall(isObject(entry) ? entry : {}));
      const outcomes = calls.length === 0 ? [] : await runner.queries(calls.map((call) => toCall(call, identity)));
      return jsonText(
        `{"results":[${outcomes.map((outcome, i) => outcomeText(redactOutcome(identity.kind, outcome, redactErrors), calls[i]?.format ?? "json")).join(",")}]}`,
      );
    },
    "POST /api/mutation": post(async (call, identity, body) =>
      isSystem(call)
        ? callSystem(systemMutation, call, identity, body.componentPath)
        : reply(await runner.mutation(toCall(call, identity)), call.format, identity),
    ),
    "POST /api/action": post(async (call, identity) => reply(await runner.action(toCall(call, identity)), call.format, identity)),
    "POST /api/function": post(async (call, identity, body) => {
      if (identity.kind !== "admin") throw new RequestError(403, "BadAdminKey", "/api/function needs the deployment's admin key.");
      const component = readComponent(body.componentPath);
      return reply(await runner.anyFunction({ ...toCall(call, identity), component, visibility: "any" }), call.format, identity);
    }),
    "POST /api/run/*": async ({ request, rest }) => {
      const [identity, body] = await Promise.all([authenticate(request), readJsonObject(request)]);
      const call = parseCall({ format: "json", ...body, path: pathOfRun(rest) });
      return reply(await runner.anyFunction(toCall(call, identity)), call.format, identity);
    },
  };
}

const toCall = ({ path, args }: ParsedCall, identity: Identity): Call => ({
  path,
  args,
  identity,
  visibility: identity.kind === "admin" ? "any" : "public",
});

function parseCall(body: { [key: string]: Json }): ParsedCall {
  const { path, format = "json", args = {} } = body;
  if (typeof path !== "string" || path === "" || path.length > MAX_FUNCTION_PATH_LENGTH) throw badRequest("`path` must name a function.");
  if (format !== "json" && format !== "convex_encoded_json") throw badRequest('`format` must be "json" or "convex_encoded_json".');
  return { path, format, args: oneObject(args) };
}

function parseSearch(search: URLSearchParams): ParsedCall {
  const args = search.get("args");
  return parseCall({ path: search.get("path"), format: search.get("format") ?? "json", args: args === null ? {} : parseArguments(args) });
}

/** Clients send `[{…}]`, the documented API `{…}`. @throws {RequestError} 400 for anything else */
function oneObject(args: Json): { [key: string]: Json } {
  const value = Array.isArray(args) && args.length <= 1 ? (args[0] ?? {}) : args;
  if (!isObject(value)) throw badRequest("`args` must be one object.");
  return value;
}

function parseArguments(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw badRequest("`args` is not valid JSON.", "BadJsonBody");
  }
}

function parseTimestamp(value: Json | undefined): Timestamp {
  const ts = typeof value === "string" ? decodeTimestamp(value) : null;
  if (ts === null) throw badRequest("`ts` must be a timestamp that /api/query_ts returned.");
  return ts;
}

/** `messages/list` → `messages:list`, `a/b/fn` → `a/b:fn`; a default export has no slash. */
function pathOfRun(urlPath: string): string {
  const path = decodeURIComponent(urlPath);
  const slash = path.lastIndexOf("/");
  return slash < 0 ? path : `${path.slice(0, slash)}:${path.slice(slash + 1)}`;
}

function readComponent(componentPath: Json | undefined): ComponentPath {
  if (componentPath === undefined || componentPath === null) return APP;
  if (typeof componentPath !== "string") throw badRequest("`componentPath` must be a string.");
  return requestedComponent(componentPath);
}

async function atSnapshot(outcome: Promise<QueryOutcome>, at: Timestamp | undefined): Promise<QueryOutcome> {
  if (at === undefined) return outcome;
  return outcome.catch((error: unknown) => {
    throw badRequest(error instanceof Error ? error.message : "There is no such snapshot.", "SnapshotNotAvailable");
  });
}

export function outcomeText(outcome: Outcome, format: Format): string {
  const logLines = JSON.stringify(outcome.logLines);
  if (outcome.ok) return `{"status":"success","value":${valueText(outcome, format)},"logLines":${logLines}}`;
  const errorData =
    outcome.data === undefined ? "" : `,"errorData":${JSON.stringify(format === "json" ? cleanJson(outcome.data) : outcome.data)}`;
  return `{"status":"error","errorMessage":${JSON.stringify(outcome.message)}${errorData},"logLines":${logLines}}`;
}

function valueText(outcome: { value: Json; valueText?: string }, format: Format): string {
  if (format === "json") return JSON.stringify(cleanJson(outcome.value));
  return outcome.valueText ?? JSON.stringify(outcome.value);
}
