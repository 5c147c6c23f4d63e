import { internalMutationGeneric, internalQueryGeneric, makeFunctionReference } from "convex/server";
import { v } from "convex/values";

/** Test-only functions that read and write rows. `backends.ts` pushes this module as `probe`. */

export const insert = internalMutationGeneric({
  args: { table: v.string(), row: v.any() },
  handler: ({ db }, { table, row }) => db.insert(table, row),
});

export const insertMany = internalMutationGeneric({
  args: { table: v.string(), rows: v.array(v.any()) },
  handler: async ({ db }, { table, rows }) => {
    for (const row of rows) await db.insert(table, row);
  },
});

export const remove = internalMutationGeneric({
  args: { table: v.string(), id: v.string() },
  handler: async ({ db }, { table, id }) => {
    const known = db.normalizeId(table, id);
    if (known && (await db.get(known))) await db.delete(known);
  },
});

export const patch = internalMutationGeneric({
  args: { table: v.string(), id: v.string(), fields: v.any() },
  handler: async ({ db }, { table, id, fields }) => {
    const known = db.normalizeId(table, id);
    if (known) await db.patch(known, fields);
  },
});

export const row = internalQueryGeneric({
  args: { table: v.string(), id: v.string() },
  handler: async ({ db }, { table, id }) => {
    const known = db.normalizeId(table, id);
    return known && (await db.get(known));
  },
});

export const rows = internalQueryGeneric({
  args: { table: v.string(), field: v.optional(v.string()), value: v.optional(v.any()) },
  handler: async ({ db }, { table, field, value }) => {
    const all = await db.query(table).take(8000);
    return field === undefined ? all : all.filter((each) => each[field] === value);
  },
});

export const imageCount = internalQueryGeneric({
  args: { designId: v.id("designs") },
  handler: async ({ db }, { designId }) => {
    const images = await db
      .query("designImages")
      .withIndex("by_design", (q) => q.eq("designId", designId))
      .take(16_000);
    return images.length;
  },
});

export const uploadUrl = internalMutationGeneric({
  args: {},
  handler: ({ storage }) => storage.generateUploadUrl(),
});

export const filesAmong = internalQueryGeneric({
  args: { ids: v.array(v.id("_storage")) },
  handler: async ({ db }, { ids }) => {
    const found = await Promise.all(ids.map((id) => db.system.get(id)));
    return found.flatMap((file) => (file ? [file._id] : []));
  },
});

export const pending = internalQueryGeneric({
  args: {},
  handler: async ({ db }) => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(1000);
    const soon = Date.now() + 60 * 60 * 1000;
    const isAwaited = (name: string) => !/presence\b.*sweep/.test(name);
    return calls.filter(
      ({ name, state, scheduledTime }) =>
        isAwaited(name) && ((state.kind === "pending" && scheduledTime < soon) || state.kind === "inProgress"),
    ).length;
  },
});

export const scheduledCalls = internalQueryGeneric({
  args: { name: v.string(), state: v.optional(v.string()) },
  handler: async ({ db }, { name, state }) => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(1000);
    return calls.filter((call) => call.name.replace(".js:", ":") === name && (state === undefined || call.state.kind === state)).length;
  },
});

export const scheduledArguments = internalQueryGeneric({
  args: { name: v.string() },
  handler: async ({ db }, { name }): Promise<Record<string, unknown>[]> => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(1000);
    return calls
      .filter((call) => call.name.replace(".js:", ":") === name)
      .map((call) => Object(call.args[0]))
      .toReversed();
  },
});

export const insertImages = internalMutationGeneric({
  args: { designId: v.id("designs"), storageId: v.id("_storage"), from: v.number(), count: v.number() },
  handler: async ({ db }, { designId, storageId, from, count }) => {
    for (let each = from; each < from + count; each++) {
      await db.insert("designImages", {
        designId,
        storageId,
        name: `image ${each}`,
        uploadId: `${designId}-${each}`,
        contentType: "image/png",
        size: 1,
        width: 1,
        height: 1,
        checksum: "0".repeat(64),
        placeholder: null,
        animated: false,
      });
    }
  },
});

export const replace = internalMutationGeneric({
  args: { table: v.string(), id: v.string(), row: v.any() },
  handler: async ({ db }, { table, id, row: fields }) => {
    const known = db.normalizeId(table, id);
    if (known) await db.replace(known, fields);
  },
});

export const fail = internalMutationGeneric({
  args: { text: v.string() },
  handler: (_, { text }) => {
    throw new Error(`The job failed. Value: ${text}`);
  },
});

export const scheduleFailure = internalMutationGeneric({
  args: { text: v.string(), delayMs: v.optional(v.number()) },
  handler: ({ scheduler }, { text, delayMs = 0 }) => scheduler.runAfter(delayMs, makeFunctionReference<"mutation">("probe:fail"), { text }),
});

/** Deletes up to 2000 rows and files and cancels pending calls. Returns the numbers of calls, of unfinished calls, and of deleted rows and files. */
export const clear = internalMutationGeneric({
  args: { tables: v.array(v.string()), callsMax: v.number() },
  handler: async ({ db, scheduler, storage }, { tables, callsMax }) => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(callsMax);
    const pending = calls.filter(({ state }) => state.kind === "pending");
    for (const { _id } of pending) await scheduler.cancel(_id);
    let left = 2000;
    for (const table of tables) {
      const rows = await db.query(table).take(left);
      for (const { _id } of rows) await db.delete(_id);
      left -= rows.length;
      if (left === 0) break;
    }
    const files = await db.system.query("_storage").take(left);
    for (const { _id } of files) await storage.delete(_id);
    const running = calls.filter(({ state }) => state.kind === "inProgress").length;
    return { calls: calls.length, waiting: pending.length + running, deleted: 2000 - left + files.length };
  },
});
