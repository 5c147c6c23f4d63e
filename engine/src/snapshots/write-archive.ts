import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Buffer } from "node:buffer";
import { ZipFile } from "yazl";
import { fileKey } from "../check/stored-files.ts";
import type { FileBucketSettings } from "../functions/files/bucket/bucket-settings.ts";
import { openFileReader } from "../functions/files/bucket/file-reader.ts";
import { verifyContent } from "../functions/files/file-content.ts";
import { storedFileName } from "../functions/files/file-names.ts";
import type { ComponentPath } from "../functions/paths.ts";
import { openCatalog, type Table } from "../storage/catalog.ts";
import { openCopy } from "../storage/file.ts";
import { prepare, textOf } from "../storage/rows.ts";
import { documentsPath, filePath, schemaPath, STORAGE, TABLES } from "./archive-paths.ts";
import { extensionOf } from "./extensions.ts";

export type ArchiveOptions = {
  databaseDir: string;
  filesDir: string;
  fileBucket?: FileBucketSettings | null;
  to: string;
  includeStorage: boolean;
};

/** The values of `documents.jsonl` are in the encoding of `convexToJson`, in all tables alike. */
export const UNIFORM = '"uniform"\n';

const CHUNK_CHARACTERS = 64 * 1024;

const README = `# Snapshot of a deployment

- \`TABLE/documents.jsonl\`: the documents of a table, one per line
- \`${TABLES}/documents.jsonl\`: the names of the tables and the numbers that their ids contain
- \`${STORAGE}/\`: the stored files and their metadata, if they were included
- \`_components/NAME/\`: the same for a component

Import it with \`npx convex import FILE.zip\`.
`;

type Row = { _id: string; _creationTime: number; sha256: string; size: number; contentType?: string };

/** Writes a snapshot as a ZIP file and makes it durable. @throws {FileDifference} for a damaged stored file */
export async function writeArchive({ databaseDir, filesDir, fileBucket = null, to, includeStorage }: ArchiveOptions): Promise<void> {
  const sql = openCopy(databaseDir);
  const reader = openFileReader(filesDir, fileBucket);
  try {
    const key = Buffer.from(fileKey(sql), "base64");
    const statement = "SELECT json FROM documents WHERE key >= ? AND key < ? ORDER BY key";
    const textsOf = function* ({ documents }: Table): Generator<string> {
      for (const row of prepare(sql, statement).iterate(documents.low, documents.high)) yield textOf(row["0"]);
    };
    const tables = openCatalog(sql)
      .list()
      .filter(({ stored, isSystem, name }) => stored && (!isSystem || (includeStorage && name === STORAGE)));

    const zip = new ZipFile();
    const written = pipeline(zip.outputStream, createWriteStream(to, { mode: 0o600 }));
    // An error of a source must end the archive, which would otherwise wait for it.
    const failure = Promise.withResolvers<never>();
    zip.on("error", failure.reject);
    const add = (path: string, source: () => Readable, options: { compress?: boolean; size?: number } = {}): void =>
      zip.addReadStreamLazy(path, options, (callback) => {
        const stream = source();
        stream.on("error", failure.reject);
        callback(null, stream);
      });

    zip.addBuffer(Buffer.from(README), "README.md");
    for (const [component, own] of byComponent(tables)) {
      const numbers = own.map(({ name, number }) => JSON.stringify({ name, id: number }));
      add(documentsPath(component, TABLES), () => Readable.from(inChunks(numbers)));
      for (const table of own) {
        const { name } = table;
        if (name === STORAGE) {
          add(documentsPath(component, name), () => Readable.from(inChunks(fileLines(textsOf(table), key))));
          for (const text of textsOf(table)) {
            const row: Row = JSON.parse(text);
            const file = storedFileName(key, row._id);
            const source = (): Readable => Readable.from(verifyContent(reader.read(file), row));
            add(filePath(component, row._id, extensionOf(row.contentType)), source, { compress: false, size: row.size });
          }
        } else {
          add(schemaPath(component, name), () => Readable.from([Buffer.from(UNIFORM)]));
          add(documentsPath(component, name), () => Readable.from(inChunks(textsOf(table))));
        }
      }
    }
    zip.end();
    await Promise.race([written, failure.promise]);
    await sync(to);
  } finally {
    sql.close();
  }
}

function byComponent(tables: Table[]): Map<ComponentPath, Table[]> {
  const components = new Map<ComponentPath, Table[]>([["", []]]);
  for (const table of tables.toSorted((a, b) => a.number - b.number))
    components.set(table.component, [...(components.get(table.component) ?? []), table]);
  return components;
}

/** `internalId` is the file's name in its address. */
function* fileLines(texts: Iterable<string>, key: Buffer): Generator<string> {
  for (const text of texts) {
    const row: Row = JSON.parse(text);
    yield JSON.stringify({ ...row, internalId: storedFileName(key, row._id) });
  }
}

function* inChunks(lines: Iterable<string>): Generator<Buffer> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  if (chunk !== "") yield Buffer.from(chunk);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
