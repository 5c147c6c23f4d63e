import { LRUCache } from "lru-cache";
import { matchPath, type RouterContextProvider } from "react-router";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { DISK_FULL_TEXT, refusalOf } from "~/lib/data/error-responses";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { ConcurrencyLimitError } from "~/lib/http/concurrency-limit.server";
import { readBody } from "~/lib/http/forms/body.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { UploadAborted } from "~/lib/http/forms/receive-multipart.server";
import { isDiskFull } from "~/lib/http/disk-full.server";
import { originOf } from "~/lib/http/origin.server";
import { RETRY_AFTER_SECONDS } from "~/lib/http/retry-after";
import { log } from "~/lib/http/telemetry/log.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { api } from "#convex/_generated/api";
import { READ_ONLY_TEXT } from "#convex/model/errors";
import { admitToken, refuseToken } from "./admit-token.server";
import { ApiError } from "./api-error.server";
import { type Endpoint, endpoints } from "./endpoints.server";
import { openApiDocument } from "./open-api.server";

const API_PATH = "/api/v1";

/** Answers `/api/v1/…` for programs with a personal access token (docs/api.md). Never throws. */
export async function answerApiRequest(request: Request, context: Readonly<RouterContextProvider>): Promise<Response> {
  const headers = new Headers();
  const response = await answer(request, context, headers).catch(errorResponse);
  const answered = new Response(request.method === "HEAD" ? null : response.body, response);
  for (const [name, value] of headers) answered.headers.set(name, value);
  if (!answered.headers.has("Cache-Control")) answered.headers.set("Cache-Control", "no-store");
  return answered;
}

async function answer(request: Request, context: Readonly<RouterContextProvider>, headers: Headers): Promise<Response> {
  const config = context.get(configContext);
  const url = new URL(request.url);
  const path = url.pathname.slice(API_PATH.length);
  const origin = originOf(config, request);
  const addresses = { origin, base: origin + API_PATH };
  if (path === "/openapi.json" && isRead(request)) return Response.json(openApiDocument(addresses.base));
  const tokenHash = await admitToken(request, context, headers);
  const { endpoint, id } = endpointFor(request, path);
  const query = checkedQuery(endpoint, url.searchParams);
  try {
    const body = await checkedBody(endpoint, request);
    const response = await endpoint.run({ request, context, tokenHash, addresses, id }, query, body);
    recordTokenUse(config, tokenHash);
    return response;
  } catch (error) {
    if (refusalOf(error)?.code !== "unauthenticated") throw error;
    throw await refusedToken(config, tokenHash, endpoint, context.get(clientAddressContext));
  }
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

function endpointFor(request: Request, path: string): { endpoint: Endpoint; id: string } {
  const found = endpoints.flatMap((endpoint) => {
    const match = matchPath({ path: endpoint.path.replace("{id}", ":id"), caseSensitive: true }, path);
    return match ? [{ endpoint, id: match.params["id"] ?? "" }] : [];
  });
  const method = request.method === "HEAD" ? "GET" : request.method;
  const match = found.find(({ endpoint }) => endpoint.method === method);
  if (match) return match;
  if (found.length === 0)
    throw new ApiError(404, "not_found", `There is no endpoint at this address. ${API_PATH}/openapi.json lists all endpoints.`);
  const allowed = found.map(({ endpoint }) => endpoint.method).join(", ");
  throw new ApiError(405, "method_not_allowed", `This endpoint accepts ${allowed}.`, { Allow: allowed });
}

/** Returns the checked parameters. Throws 400, also for unknown parameters, because a misspelt one would be ignored. */
function checkedQuery({ query = z.object({}) }: Endpoint, sent: URLSearchParams): Record<string, unknown> {
  const result = z.strictObject(query.shape).safeParse(Object.fromEntries(sent));
  if (result.success) return result.data;
  throw new ApiError(400, "invalid_query", z.prettifyError(result.error));
}

const BODY_MAX = 64 * 1024;

/** Returns the JSON of a request; undefined where the endpoint expects none. Throws 400 and 413. */
async function checkedBody({ sends }: Endpoint, request: Request): Promise<unknown> {
  if (sends === undefined || sends === "files") return undefined;
  const bytes = await readBody(request, BODY_MAX);
  if (!bytes) throw new ApiError(413, "too_large", `The body is too large (maximum ${BODY_MAX / 1024} KB).`);
  let sent: unknown;
  try {
    sent = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ApiError(400, "invalid_body", "Send a JSON object.");
  }
  const result = z.strictObject(sends.shape).safeParse(sent);
  if (result.success) return result.data;
  throw new ApiError(400, "invalid_body", z.prettifyError(result.error));
}

/** Returns 403 for a token without the scope, and 401 for an unknown, expired or revoked one. */
async function refusedToken(config: AppConfig, tokenHash: string, { scope }: Endpoint, address: string): Promise<ApiError> {
  const holder = await serviceConvex(config).query(api.accounts.accessTokens.find, { tokenHash });
  if (holder) return new ApiError(403, "insufficient_scope", `This endpoint requires a token with the permission "${scope}".`);
  return refuseToken(tokenHash, address);
}

const NOTED_MS = 60_000;
const notedUses = new LRUCache<string, true>({ max: 10_000, ttl: NOTED_MS });

function recordTokenUse(config: AppConfig, tokenHash: string): void {
  if (notedUses.has(tokenHash)) return;
  notedUses.set(tokenHash, true);
  void serviceConvex(config)
    .mutation(api.accounts.accessTokens.noteUse, { tokenHash }, { skipQueue: true })
    .catch(() => notedUses.delete(tokenHash));
}

function errorResponse(error: unknown): Response {
  const { status, code, message, headers } = asApiError(error);
  return Response.json({ error: { code, message } }, { status, headers });
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const refusal = refusalOf(error);
  if (refusal?.code === "not_found") return new ApiError(404, "not_found", "This item does not exist, or you have no access to it.");
  if (refusal?.isReadOnly) return new ApiError(503, "read_only", READ_ONLY_TEXT, { "Retry-After": String(RETRY_AFTER_SECONDS) });
  if (refusal?.code === "limit")
    return new ApiError(409, "limit_reached", refusal.message ?? "The project's owner has reached the limit of the plan or storage.");
  if (refusal?.fieldErrors?.["cursor"]) return new ApiError(400, "invalid_query", "cursor: pass `nextCursor` of the previous page");
  if (refusal) return new ApiError(422, refusal.code, refusal.message ?? textOf(refusal.fieldErrors));
  if (error instanceof InvalidForm || error instanceof UploadAborted)
    return new ApiError(400, "invalid_form", "Send one or more files in a complete form (multipart/form-data).");
  if (error instanceof ConcurrencyLimitError)
    return new ApiError(429, "too_many_uploads", "You have too many uploads in progress. Wait until one is complete.", {
      "Retry-After": "5",
    });
  if (isDiskFull(error)) return new ApiError(507, "disk_full", DISK_FULL_TEXT);
  if (error instanceof Unavailable)
    return new ApiError(503, "unavailable", "The server is not available right now. Try again.", {
      "Retry-After": String(RETRY_AFTER_SECONDS),
    });
  log.error({ error }, "a request to the HTTP API failed");
  return new ApiError(500, "internal_error", "Something went wrong on our side.");
}

const textOf = (fieldErrors: Record<string, string[]> = {}): string => Object.values(fieldErrors).flat().join(" ");
