import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { openPromise, type Entry } from "yauzl";
import type { ComponentPath } from "../functions/paths.ts";
import { FunctionError } from "../values/errors.ts";
import { parseArchivePath, STORAGE, TABLES } from "./archive-paths.ts";
import { parseRows } from "./parse-rows.ts";
import { UNIFORM } from "./write-archive.ts";

type Source = () => Promise<Readable>;
export type ArchivedTable = { component: ComponentPath; name: string; path: string; number: number | null; open: Source };
export type ArchivedFile = { path: string; open: Source };
export type Archive = {
  tables: ArchivedTable[];
  files: Map<ComponentPath, Map<string, ArchivedFile>>;
  close(): void;
};

const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;
/** Types that an older format of `npx convex export` writes as JSON strings. */
const AMBIGUOUS = /\b(int64|bytes|float64)\b/;

/** Opens an archive of `npx convex export`. @throws {FunctionError} for a file that is none */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true }).catch((error: unknown) => {
    throw new FunctionError(`The file is not a ZIP file: ${messageOf(error)}.`);
  });
  try {
    const tables: ArchivedTable[] = [];
    const schemas: { path: string; open: Source }[] = [];
    const numbers = new Map<ComponentPath, Map<string, number>>();
    const files: Archive["files"] = new Map();
    for await (const entry of zip.eachEntry()) {
      const found = parseArchivePath(entry.fileName);
      const open = source(entry);
      if (found.kind === "file") {
        const own = files.get(found.component) ?? new Map<string, ArchivedFile>();
        files.set(found.component, own.set(found.id, { path: entry.fileName, open }));
      } else if (found.kind === "schema") schemas.push({ path: entry.fileName, open });
      else if (found.kind !== "documents") continue;
      else if (found.table === TABLES) numbers.set(found.component, await readNumbers(entry.fileName, open));
      else tables.push({ component: found.component, name: found.table, path: entry.fileName, number: null, open });
    }
    for (const { path: schema, open } of schemas) await checkSchema(schema, open);
    if (tables.length === 0 && files.size === 0)
      throw new FunctionError("The ZIP file has no table. Expected files like TABLE/documents.jsonl, as `npx convex export` writes them.");
    return {
      tables: tables.map((table) => ({ ...table, number: numbers.get(table.component)?.get(table.name) ?? null })),
      files,
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error instanceof FunctionError ? error : new FunctionError(`The ZIP file cannot be read: ${messageOf(error)}.`);
  }

  function source(entry: Entry): Source {
    return () => zip.openReadStreamPromise(entry);
  }
}

async function readNumbers(path: string, open: Source): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for await (const { place, fields } of parseRows("jsonLines", await open())) {
    const { name, id } = fields;
    if (typeof name !== "string" || !Number.isInteger(id))
      throw new FunctionError(`${path}, ${place}: expected {"name": text, "id": integer}.`);
    if (name !== TABLES && (!name.startsWith("_") || name === STORAGE)) numbers.set(name, Number(id));
  }
  return numbers;
}

async function checkSchema(path: string, open: Source): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await open()) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_SCHEMA_BYTES) throw new FunctionError(`${path} is too large.`);
  }
  const text = Buffer.concat(chunks).toString();
  if (text.trim() === UNIFORM.trim()) return;
  const types = text.replaceAll("\\", "").replaceAll(/"[^"{},:]*"/g, "");
  const ambiguous = AMBIGUOUS.exec(types.replaceAll("normalfloat64", ""));
  if (ambiguous)
    throw new FunctionError(
      `${path} is of an older format, whose values of the type ${ambiguous[0]} can't be imported. Export the data again with a current deployment.`,
    );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
