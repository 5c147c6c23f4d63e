import { stringify } from "csv-stringify/sync";
import { attachment } from "~/features/images/serve/file-name";
import { ConcurrencyLimitError, createConcurrencyLimit } from "~/lib/http/concurrency-limit.server";

export const EXPORT_FORMATS = ["csv", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES = { csv: "text/csv", json: "application/json" } as const satisfies Record<ExportFormat, string>;

const COLUMNS = ["at", "action", "category", "result", "actor"];
const PEOPLE_COLUMNS = ["userId", "email", "otherUserId", "otherEmail"];
const OBJECTS = ["address", "targetKind", "targetId"];
const DETAILS = ["method", "provider", "reason", "role", "count", "isReset", "isLast", "settings", "job"];

const BATCH = 100;

const EXPORTS_MAX = 3;
const exports = createConcurrencyLimit(EXPORTS_MAX);

type Event = Record<string, unknown>;

type Export = {
  name: string;
  userId: string;
  format: ExportFormat;
  withPeople?: boolean;
  events: () => AsyncIterable<Event>;
};

/** Streams events as CSV (RFC 4180) or as a JSON array, so that their number costs no memory. Answers 429 above `EXPORTS_MAX`. */
export function exportEvents(request: Request, { name, userId, format, withPeople = false, events }: Export): Response {
  const headers = {
    "Content-Type": `${TYPES[format]}; charset=utf-8`,
    "Content-Disposition": attachment(`${name}.${format}`, TYPES[format]),
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    // For a slow client, nginx would otherwise buffer the whole export.
    "X-Accel-Buffering": "no",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  try {
    return new Response(streamOf(format === "csv" ? toCsv(events(), withPeople) : toJson(events()), exports.acquire(userId)), { headers });
  } catch (error) {
    if (!(error instanceof ConcurrencyLimitError)) throw error;
    const text = `You are already exporting ${EXPORTS_MAX} times. Wait until one export is complete, then try again.\n`;
    return new Response(text, { status: 429, headers: { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "10" } });
  }
}

function streamOf(chunks: AsyncGenerator<string>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
        onEnd();
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    async cancel() {
      onEnd();
      await chunks.return(undefined);
    },
  });
}

/** Spreadsheets would run values that begin like a formula, so these are escaped. */
const CSV = { escape_formulas: true, record_delimiter: "\r\n" } as const;

async function* toCsv(events: AsyncIterable<Event>, withPeople: boolean): AsyncGenerator<string> {
  const options = { ...CSV, columns: [...COLUMNS, ...(withPeople ? PEOPLE_COLUMNS : []), ...OBJECTS, ...DETAILS] };
  yield stringify([], { ...options, header: true, bom: true });
  let rows: Event[] = [];
  for await (const event of events) {
    rows.push(flat(event));
    if (rows.length < BATCH) continue;
    yield stringify(rows, options);
    rows = [];
  }
  if (rows.length > 0) yield stringify(rows, options);
}

function flat({ at, target, details, ...event }: Event): Event {
  const { kind: targetKind, id: targetId } = fieldsOf(target);
  const { settings, ...others } = fieldsOf(details);
  const names = Array.isArray(settings) ? { settings: settings.join(" ") } : {};
  return { ...event, at: timeOf(at), targetKind, targetId, ...others, ...names };
}

async function* toJson(events: AsyncIterable<Event>): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const { at, ...event } of events) {
    yield `${separator}${JSON.stringify({ at: timeOf(at), ...event })}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

const timeOf = (at: unknown): string => new Date(Number(at)).toISOString();

const fieldsOf = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? { ...value } : {});
