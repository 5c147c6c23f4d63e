import { FunctionError } from "../../values/errors.ts";
import { MAX_BYTES_READ, MAX_DOCUMENTS_READ } from "../../values/limits.ts";
import type { Json } from "../../values/types.ts";
import { keyAfter } from "../../values/keys.ts";
import { decodeCursor, encodeCursor, fingerprint, type Position } from "./cursor.ts";
import type { Entry, Order, Range } from "./scan.ts";

/** Arguments of the syscall `1.0/queryPage` (`query_impl.ts`). */
export type PageRequest = {
  query: Json;
  fingerprint: Buffer;
  from: Position;
  until: Position | null;
  size: number;
  maximumRows: number;
  maximumBytes: number;
};

export type Page = {
  texts: string[];
  isDone: boolean;
  continueCursor: string;
  splitCursor: string | null;
  status: "SplitRecommended" | "SplitRequired" | null;
};

const ROWS_PER_PAGE = MAX_DOCUMENTS_READ / 2;
const BYTES_PER_PAGE = MAX_BYTES_READ / 2;
/** Beyond these a split is recommended: a quarter of the limits, or twice the requested size. */
const RECOMMENDED_ROWS = MAX_DOCUMENTS_READ / 4;
const RECOMMENDED_BYTES = MAX_BYTES_READ / 4;
const RECOMMENDED_GROWTH = 2;

export function readPageRequest(args: Json): PageRequest {
  if (typeof args !== "object" || args === null || Array.isArray(args)) throw new FunctionError("Malformed pagination options.");
  const { query, cursor, endCursor, pageSize, maximumRowsRead, maximumBytesRead } = args;
  if (query === undefined) throw new FunctionError("Malformed pagination options.");
  if (typeof pageSize !== "number" || !Number.isInteger(pageSize) || pageSize < 0) {
    throw new FunctionError(`\`options.numItems\` must be a positive number. Received \`${JSON.stringify(pageSize)}\`.`);
  }
  const print = fingerprint(query);
  return {
    query,
    fingerprint: print,
    from: positionOf(cursor, print) ?? { at: "start" },
    until: positionOf(endCursor, print),
    size: pageSize,
    maximumRows: limitOf(maximumRowsRead, ROWS_PER_PAGE, "maximumRowsRead"),
    maximumBytes: limitOf(maximumBytesRead, BYTES_PER_PAGE, "maximumBytesRead"),
  };
}

function positionOf(cursor: Json | undefined, print: Buffer): Position | null {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor !== "string")
    throw new FunctionError(`\`options.cursor\` must be a string or null. Received \`${JSON.stringify(cursor)}\`.`);
  return decodeCursor(print, cursor);
}

function limitOf(value: Json | undefined, most: number, name: string): number {
  if (value === undefined || value === null) return most;
  if (typeof value !== "number" || !(value > 0)) {
    throw new FunctionError(`\`options.${name}\` must be a positive number. Received \`${JSON.stringify(value)}\`.`);
  }
  return Math.min(value, most);
}

export function rangeBetween(range: Range, order: Order, from: Position, until: Position | null): Range {
  let { low, high } = range;
  if (from.at === "end") return { low, high: low };
  if (from.at === "after") {
    if (order === "asc") low = keyAfter(from.key);
    else high = from.key;
  }
  if (until?.at === "start") return { low, high: low };
  if (until?.at === "after") {
    if (order === "asc") high = keyAfter(until.key);
    else low = until.key;
  }
  return { low, high };
}

export function takePage(request: PageRequest, next: () => { entry: Entry; passes: boolean } | null, more: () => boolean): Page {
  const texts: string[] = [];
  const keys: Uint8Array[] = [];
  let bytes = 0;
  let complete = true;
  let required = false;

  while (request.until !== null || texts.length < request.size) {
    if (keys.length >= request.maximumRows || bytes >= request.maximumBytes) {
      complete = !more();
      required = !complete;
      break;
    }
    const read = next();
    if (read === null) break;
    keys.push(read.entry.key);
    bytes += read.entry.size;
    if (read.passes) texts.push(read.entry.text);
  }
  if (complete && request.until === null && texts.length >= request.size) complete = !more();

  const end: Position = complete ? (request.until ?? { at: "end" }) : after(keys.at(-1), request.from);
  const recommended = keys.length > RECOMMENDED_ROWS || bytes > RECOMMENDED_BYTES || texts.length > request.size * RECOMMENDED_GROWTH;
  const middle = keys.length >= 2 ? keys[(keys.length - 1) >> 1] : undefined;
  const status = required ? "SplitRequired" : recommended && middle !== undefined ? "SplitRecommended" : null;
  return {
    texts,
    isDone: end.at === "end",
    continueCursor: encodeCursor(request.fingerprint, end),
    splitCursor: status === null || middle === undefined ? null : encodeCursor(request.fingerprint, { at: "after", key: middle }),
    status,
  };
}

function after(key: Uint8Array | undefined, from: Position): Position {
  return key === undefined ? from : { at: "after", key };
}
