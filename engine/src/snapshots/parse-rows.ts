/** Rows of the files that `npx convex import` accepts (docs.convex.dev/database/import-export/import). */
import { parse, CsvError } from "csv-parse";
import { isFields, type JsonObject } from "../values/canonical.ts";
import { FunctionError } from "../values/errors.ts";
import { parseJson } from "../values/parse-json.ts";
import type { Json } from "../values/types.ts";

export type RowFormat = "csv" | "jsonLines" | "jsonArray";
export type Row = { place: string; fields: JsonObject };

/** Escapes can make a document's JSON six times as long as the document. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024;
/** docs.convex.dev/database/import-export/import */
const MAX_ARRAY_BYTES = 8 * 1024 * 1024;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** @throws {FunctionError} that names the line of a row that cannot be read */
export function parseRows(format: RowFormat, source: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  if (format === "csv") return csvRows(source);
  return format === "jsonArray" ? arrayRows(source) : lineRows(source);
}

async function* lineRows(source: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  let number = 0;
  for await (const line of lines(source)) {
    number += 1;
    if (line.trim() === "") continue;
    const place = `line ${number}`;
    yield { place, fields: objectOf(jsonOf(line, place), place) };
  }
}

async function* lines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts(source)) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS) throw new FunctionError(`A line is longer than ${MAX_LINE_CHARACTERS} characters.`);
    yield* parts;
  }
  if (rest !== "") yield rest;
}

async function* texts(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new FunctionError("The file is not valid UTF-8.");
    }
  };
  for await (const chunk of source) yield decode(chunk);
  yield decode();
}

async function* arrayRows(source: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  let text = "";
  for await (const part of texts(source)) {
    text += part;
    if (text.length > MAX_ARRAY_BYTES)
      throw new FunctionError("A JSON array can have at most 8 MiB. Convert it to JSON lines, for example with `jq -c '.[]'`.");
  }
  const array = jsonOf(text, "The file");
  if (!Array.isArray(array)) throw new FunctionError("The file must be a JSON array of objects.");
  for (const [index, element] of array.entries()) {
    const place = `element ${index + 1}`;
    yield { place, fields: objectOf(element, place) };
  }
}

async function* csvRows(source: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const parser = parse({ bom: true, skip_empty_lines: true, info: true, max_record_size: MAX_LINE_CHARACTERS });
  let names: string[] | null = null;
  void (async () => {
    try {
      for await (const text of texts(source)) if (!parser.write(text)) await new Promise((resolve) => parser.once("drain", resolve));
      parser.end();
    } catch (error) {
      parser.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  try {
    for await (const found of parser) {
      const { record, info }: { record: string[]; info: { lines: number } } = found;
      if (names === null) {
        names = headerOf(record);
        continue;
      }
      const fields = Object.fromEntries(names.map((name, index) => [name, cellOf(record[index] ?? "")]));
      yield { place: `line ${info.lines}`, fields };
    }
  } catch (error) {
    throw error instanceof CsvError ? new FunctionError(`The file is not valid CSV: ${error.message}.`) : error;
  }
  if (names === null) throw new FunctionError("The file is empty: a CSV file must have a header.");
}

function headerOf(names: string[]): string[] {
  for (const [index, name] of names.entries()) {
    if (name === "") throw new FunctionError(`Column ${index + 1} has no name in the header.`);
    if (names.indexOf(name) !== index) throw new FunctionError(`The header has the column "${name}" twice.`);
  }
  return names;
}

const cellOf = (cell: string): Json => (NUMBER.test(cell) && Number.isFinite(Number(cell)) ? Number(cell) : cell);

function jsonOf(text: string, place: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FunctionError(`${place} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectOf(value: Json, place: string): JsonObject {
  if (isFields(value)) return value;
  throw new FunctionError(`${place} is not a JSON object.`);
}
