import { internalMutationGeneric, internalQueryGeneric } from "convex/server";
import { v } from "convex/values";

/**
 * Functions that only tests have: they look at and change rows directly. The harness (`backends.ts`) puts this module beside those of
 * `convex/` under the name `probe`, on every backend.
 */

/** Inserts a row as it is given and answers its id. */
export const insert = internalMutationGeneric({
  args: { table: v.string(), row: v.any() },
  handler: ({ db }, { table, row }) => db.insert(table, row),
});

/** Deletes the row with this id, if it is there. */
export const remove = internalMutationGeneric({
  args: { table: v.string(), id: v.string() },
  handler: async ({ db }, { table, id }) => {
    const known = db.normalizeId(table, id);
    if (known && (await db.get(known))) await db.delete(known);
  },
});

/** Changes fields of a row. */
export const patch = internalMutationGeneric({
  args: { table: v.string(), id: v.string(), fields: v.any() },
  handler: async ({ db }, { table, id, fields }) => {
    const known = db.normalizeId(table, id);
    if (known) await db.patch(known, fields);
  },
});

/** One row; null: there is none. */
export const row = internalQueryGeneric({
  args: { table: v.string(), id: v.string() },
  handler: async ({ db }, { table, id }) => {
    const known = db.normalizeId(table, id);
    return known && (await db.get(known));
  },
});

/** The rows of a table, oldest first, as many as an answer may hold. */
export const rows = internalQueryGeneric({
  args: { table: v.string(), field: v.optional(v.string()), value: v.optional(v.any()) },
  handler: async ({ db }, { table, field, value }) => {
    const all = await db.query(table).take(8000);
    return field === undefined ? all : all.filter((each) => each[field] === value);
  },
});

/** How many images a design has, removed ones included. */
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

/** An address to store a file at. */
export const uploadUrl = internalMutationGeneric({
  args: {},
  handler: ({ storage }) => storage.generateUploadUrl(),
});

/** Which of these stored files still exist. */
export const filesAmong = internalQueryGeneric({
  args: { ids: v.array(v.id("_storage")) },
  handler: async ({ db }, { ids }) => {
    const found = await Promise.all(ids.map((id) => db.system.get(id)));
    return found.flatMap((file) => (file ? [file._id] : []));
  },
});

/** How many scheduled calls are due and not done. */
export const pending = internalQueryGeneric({
  args: {},
  handler: async ({ db }) => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(1000);
    return calls.filter(({ state }) => state.kind === "pending" || state.kind === "inProgress").length;
  },
});

/** How many calls of a function were ever scheduled, among the newest thousand of all. */
export const scheduledCalls = internalQueryGeneric({
  args: { name: v.string() },
  handler: async ({ db }, { name }) => {
    const calls = await db.system.query("_scheduled_functions").order("desc").take(1000);
    return calls.filter((call) => call.name.replace(".js:", ":") === name).length;
  },
});

/** Many images of a design with one row each and no file, for tests of size; `from` numbers them. */
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

/** Puts a whole row in another's place, so that fields can go. */
export const replace = internalMutationGeneric({
  args: { table: v.string(), id: v.string(), row: v.any() },
  handler: async ({ db }, { table, id, row: fields }) => {
    const known = db.normalizeId(table, id);
    if (known) await db.replace(known, fields);
  },
});
