/** The sync protocol's messages, as in the published `convex/src/browser/sync/protocol.ts`. */
import { isObject } from "../http/body.ts";
import { parseJson, JsonLimitError } from "../values/parse-json.ts";
import type { Json, Timestamp } from "../values/types.ts";
import type { Outcome } from "../functions/types.ts";
import { MAX_FUNCTION_PATH_LENGTH } from "../functions/paths.ts";
import { encodeTimestamp } from "./timestamp.ts";

type Fields = { [key: string]: Json };

type Target = { udfPath: string; argsText: string; componentPath: string };
export type AddQuery = { type: "Add"; queryId: number; journal: string | null } & Target;
export type RemoveQuery = { type: "Remove"; queryId: number };
export type Request = { requestId: number } & Target;
export type Credentials =
  | { tokenType: "None" }
  | { tokenType: "User"; value: string }
  | { tokenType: "Admin"; value: string; impersonating: Json };

export type ClientMessage =
  | { type: "Connect"; sessionId: string; clientTs: number | null }
  | { type: "ModifyQuerySet"; baseVersion: number; newVersion: number; modifications: (AddQuery | RemoveQuery)[] }
  | { type: "Authenticate"; baseVersion: number; credentials: Credentials }
  | ({ type: "Mutation" } & Request)
  | ({ type: "Action" } & Request)
  | { type: "Event"; eventType: string | null };

export type Version = { querySet: number; identity: number; ts: Timestamp };

export class ProtocolError extends Error {}

const MAX_SESSION_ID_LENGTH = 128;

export function parseClientMessage(text: string): ClientMessage {
  const message = parseMessage(text);
  if (!isObject(message)) throw new ProtocolError("A message must be a JSON object.");
  switch (message.type) {
    case "Connect":
      return { type: "Connect", sessionId: sessionId(message), clientTs: typeof message.clientTs === "number" ? message.clientTs : null };
    case "ModifyQuerySet":
      return {
        type: "ModifyQuerySet",
        baseVersion: count(message, "baseVersion"),
        newVersion: count(message, "newVersion"),
        modifications: list(message, "modifications").map(parseModification),
      };
    case "Authenticate":
      return { type: "Authenticate", baseVersion: count(message, "baseVersion"), credentials: parseCredentials(message) };
    case "Mutation":
    case "Action":
      return { type: message.type, requestId: count(message, "requestId"), ...parseTarget(message) };
    case "Event":
      return { type: "Event", eventType: typeof message.eventType === "string" ? message.eventType : null };
    default:
      throw new ProtocolError(`Unknown message type ${JSON.stringify(message.type ?? null).slice(0, 64)}.`);
  }
}

function parseModification(value: Json): AddQuery | RemoveQuery {
  if (!isObject(value)) throw new ProtocolError("A modification must be an object.");
  if (value.type === "Remove") return { type: "Remove", queryId: count(value, "queryId") };
  if (value.type !== "Add") throw new ProtocolError("A modification must be Add or Remove.");
  const { journal = null } = value;
  if (journal !== null && typeof journal !== "string") throw new ProtocolError("`journal` must be a string or null.");
  return { type: "Add", queryId: count(value, "queryId"), journal, ...parseTarget(value) };
}

/** Keeps arguments as text: parsed objects take many times the memory. */
function parseTarget(value: Fields): Target {
  const { componentPath = null } = value;
  if (componentPath !== null && typeof componentPath !== "string") throw new ProtocolError("`componentPath` must be a string.");
  const [args = {}, ...more] = list(value, "args");
  if (!isObject(args) || more.length > 0) throw new ProtocolError("`args` must contain one object.");
  const udfPath = text(value, "udfPath");
  if (udfPath.length > MAX_FUNCTION_PATH_LENGTH) throw new ProtocolError("`udfPath` is too long.");
  return { udfPath, argsText: JSON.stringify(args), componentPath: componentPath ?? "" };
}

function parseCredentials(message: Fields): Credentials {
  if (message.tokenType === "None") return { tokenType: "None" };
  if (message.tokenType === "User") return { tokenType: "User", value: text(message, "value") };
  if (message.tokenType === "Admin")
    return { tokenType: "Admin", value: text(message, "value"), impersonating: message.impersonating ?? null };
  throw new ProtocolError("`tokenType` must be None, User or Admin.");
}

function sessionId(message: Fields): string {
  const id = text(message, "sessionId");
  if (id.length === 0 || id.length > MAX_SESSION_ID_LENGTH) throw new ProtocolError("`sessionId` must be a UUID.");
  return id;
}

function parseMessage(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ProtocolError(error instanceof JsonLimitError ? error.message : "A message must be valid JSON.");
  }
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new ProtocolError(`\`${name}\` must be a string.`);
  return value;
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new ProtocolError(`\`${name}\` must be a non-negative integer.`);
  return value;
}

function list(fields: Fields, name: string): Json[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new ProtocolError(`\`${name}\` must be an array.`);
  return value;
}

export type QueryResult = { type: "QueryUpdated" | "QueryFailed"; fields: string };

export function queryResult(outcome: Outcome, journal: string | null): QueryResult {
  const rest = `"logLines":${JSON.stringify(outcome.logLines)},"journal":${JSON.stringify(journal)}`;
  if (outcome.ok) return { type: "QueryUpdated", fields: `"value":${valueText(outcome)},${rest}` };
  return { type: "QueryFailed", fields: `"errorMessage":${JSON.stringify(outcome.message)},${errorData(outcome.data)}${rest}` };
}

export const modificationText = (queryId: number, result: QueryResult): string =>
  `{"type":"${result.type}","queryId":${queryId},${result.fields}}`;
export const removalText = (queryId: number): string => `{"type":"QueryRemoved","queryId":${queryId}}`;

/** Returns a Transition. `clockSkewMs` is the client's clock minus ours at connect, which the client uses to renew its token. */
export function transitionText(start: Version, end: Version, modifications: string[], clockSkewMs: number | null): string {
  const skew = clockSkewMs === null ? "" : `,"clientClockSkew":${clockSkewMs}`;
  const serverTs = `,"serverTs":${Date.now() * 1e6}`;
  return `{"type":"Transition","startVersion":${versionText(start)},"endVersion":${versionText(end)},"modifications":[${modifications.join(",")}]${skew}${serverTs}}`;
}

const versionText = ({ querySet, identity, ts }: Version) =>
  `{"querySet":${querySet},"identity":${identity},"ts":"${encodeTimestamp(ts)}"}`;

export function mutationResponseText(requestId: number, outcome: Outcome, ts: Timestamp): string {
  return responseText("MutationResponse", requestId, outcome, `"ts":"${encodeTimestamp(ts)}",`);
}

export const actionResponseText = (requestId: number, outcome: Outcome): string => responseText("ActionResponse", requestId, outcome, "");

function responseText(type: string, requestId: number, outcome: Outcome, ts: string): string {
  const head = `{"type":"${type}","requestId":${requestId},"success":${outcome.ok}`;
  const logLines = `"logLines":${JSON.stringify(outcome.logLines)}`;
  if (outcome.ok) return `${head},"result":${valueText(outcome)},${ts}${logLines}}`;
  return `${head},"result":${JSON.stringify(outcome.message)},${errorData(outcome.data)}${logLines}}`;
}

const valueText = (outcome: { value: Json; valueText?: string }) => outcome.valueText ?? JSON.stringify(outcome.value);
const errorData = (data: Json | undefined) => (data === undefined ? "" : `"errorData":${JSON.stringify(data)},`);

/** Returns an AuthError. `attempted` is true in the reply to an Authenticate message, and false for an expired token. */
export function authErrorText(error: string, baseVersion: number, attempted: boolean): string {
  return JSON.stringify({ type: "AuthError", error, baseVersion, authUpdateAttempted: attempted });
}

export const fatalErrorText = (error: string): string => JSON.stringify({ type: "FatalError", error });
export const PING_TEXT = '{"type":"Ping"}';
/** An extension: a client that sends this event tests its connection. Convex ignores the event. */
export const HEARTBEAT_EVENT = "Heartbeat";
export const HEARTBEAT_ANSWER_TEXT = '{"type":"Ping","answers":"Heartbeat"}';

/** Larger transitions are sent in parts, so that none blocks the connection. */
export const CHUNK_LENGTH = 5_000_000;

export function* splitIntoChunks(transition: string, transitionId: string): Generator<string> {
  if (transition.length <= CHUNK_LENGTH) {
    yield transition;
    return;
  }
  const totalParts = Math.ceil(transition.length / CHUNK_LENGTH);
  for (let partNumber = 0; partNumber < totalParts; partNumber += 1) {
    const chunk = transition.slice(partNumber * CHUNK_LENGTH, (partNumber + 1) * CHUNK_LENGTH);
    yield JSON.stringify({ type: "TransitionChunk", chunk, partNumber, totalParts, transitionId });
  }
}
