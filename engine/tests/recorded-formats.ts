import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import type { Json } from "../src/values/types.ts";

export type RecordedFormat = {
  contents: Json;
  session: string;
  /** Result of the session's only mutation. */
  answer: string;
};

type Header = RecordedFormat & { files: [path: string, size: number][] };

/** Compresses the files together, because the log repeats pages of the database. */
export function packRecord(record: RecordedFormat, files: [path: string, bytes: Buffer][]): Buffer {
  const header: Header = { ...record, files: files.map(([path, bytes]) => [path, bytes.length]) };
  const packed = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...files.map(([, bytes]) => bytes)]);
  return brotliCompressSync(packed, { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } });
}

/** Writes the files of a record to `dir`. */
export function unpackRecord(packed: Buffer, dir: string): RecordedFormat {
  const bytes = brotliDecompressSync(packed);
  let offset = bytes.indexOf("\n") + 1;
  const header: Header = JSON.parse(bytes.toString("utf8", 0, offset));
  for (const [path, size] of header.files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), bytes.subarray(offset, (offset += size)));
  }
  return header;
}

/** Functions that each recorded format contains. Files of recorded formats keep those of their time. */
export const FORMAT_SOURCES = {
  "schema.ts": `
    import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({
      rows: defineTable({
        n: v.number(), name: v.string(), large: v.int64(), bytes: v.bytes(), note: v.optional(v.string()),
        nested: v.object({ list: v.array(v.union(v.null(), v.boolean(), v.number())) }), file: v.optional(v.id("_storage")),
      }).index("by_name", ["name", "n"]).index("by_large", ["large"]).searchIndex("by_note", { searchField: "note", filterFields: ["name"] }),
    });`,
  "rows.ts": `
    import { mutationGeneric as mutation, queryGeneric as query, makeFunctionReference } from "convex/server";
    import { v } from "convex/values";
    export const add = mutation({ args: { n: v.number(), file: v.union(v.null(), v.id("_storage")) }, handler: (ctx, { n, file }) =>
      ctx.db.insert("rows", {
        n, name: "name " + (n % 7), large: 2n ** 60n + BigInt(n), bytes: new Uint8Array([n, 0, 255]).buffer,
        ...(n % 3 === 0 ? {} : { note: "The quick brown fox number" + n + " jumps over " + (n % 2 ? "dogs" : "cats") }),
        nested: { list: [null, n % 2 === 0, -0, n / 3] }, ...(file === null ? {} : { file }),
      }) });
    export const change = mutation({ args: { id: v.id("rows") }, handler: (ctx, { id }) =>
      ctx.db.patch(id, { name: "changed", note: "A changed fox sleeps" }) });
    export const remove = mutation({ args: { id: v.id("rows") }, handler: (ctx, { id }) => ctx.db.delete(id) });
    export const schedule = mutation({ args: {}, handler: (ctx) =>
      ctx.scheduler.runAt(Date.UTC(2100, 0), makeFunctionReference("rows:add"), { n: 1000, file: null }) });
    export const uploadUrl = mutation({ args: {}, handler: (ctx) => ctx.storage.generateUploadUrl() });
    export const all = query({ args: {}, handler: (ctx) => ctx.db.query("rows").collect() });
    export const byName = query({ args: { name: v.string() }, handler: async (ctx, { name }) =>
      (await ctx.db.query("rows").withIndex("by_name", (q) => q.eq("name", name)).order("desc").collect()).map((row) => row._id) });
    export const byLarge = query({ args: {}, handler: async (ctx) =>
      (await ctx.db.query("rows").withIndex("by_large", (q) => q.gt("large", 2n ** 60n + 30n)).collect()).map((row) => row._id) });
    export const search = query({ args: { text: v.string() }, handler: async (ctx, { text }) =>
      (await ctx.db.query("rows").withSearchIndex("by_note", (q) => q.search("note", text)).collect()).map((row) => row._id).sort() });
    export const jobs = query({ args: {}, handler: async (ctx) => ctx.db.system.query("_scheduled_functions").collect() });
    export const files = query({ args: {}, handler: async (ctx) => {
      const rows = await ctx.db.query("rows").collect();
      return Promise.all(rows.filter((row) => row.file).map(async ({ file }) => ({ file, url: await ctx.storage.getUrl(file), row: await ctx.db.system.get(file) })));
    } });
  `,
  "crons.ts": `
    import { cronJobs, makeFunctionReference } from "convex/server";
    const crons = cronJobs();
    crons.monthly("each month", { day: 1, hourUTC: 0, minuteUTC: 0 }, makeFunctionReference("rows:add"), { n: 2000, file: null });
    export default crons;`,
};

/** Returns what the functions above read, with the texts of stored files. */
export async function readContents(url: string): Promise<Json> {
  const client = new ConvexHttpClient(url, { logger: false });
  const query = (name: string, args: Record<string, string> = {}) => {
    const reference = anyApi["rows"]?.[name];
    if (!reference) throw new Error(`${name} is missing.`);
    return client.query(reference, args);
  };
  const files: { file: string; url: string; row: unknown }[] = await query("files");
  return plain({
    all: await query("all"),
    byName: await query("byName", { name: "name 3" }),
    changed: await query("byName", { name: "changed" }),
    byLarge: await query("byLarge"),
    search: await query("search", { text: "quick dog" }),
    changedSearch: await query("search", { text: "changed" }),
    jobs: await query("jobs"),
    files: await Promise.all(files.map(async ({ file, url: address, row }) => ({ file, row, text: await (await fetch(address)).text() }))),
  });
}

/** Returns JSON with bigints and bytes as texts. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => {
      if (typeof each === "bigint") return `${each}n`;
      return each instanceof ArrayBuffer ? Buffer.from(each).toString("hex") : each;
    }),
  );
}
