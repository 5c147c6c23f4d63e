import { componentImport, type ComponentSources } from "../bundles/bundle-fixture.ts";

const IMPORTS = `
  import { queryGeneric as query, mutationGeneric as mutation, actionGeneric as action, internalMutationGeneric as internalMutation,
    internalActionGeneric as internalAction, httpActionGeneric as httpAction, httpRouter, cronJobs, anyApi, componentsGeneric, createFunctionHandle,
    defineApp, defineComponent, defineSchema, defineTable } from "convex/server";
  import { v, ConvexError } from "convex/values";
  const components = componentsGeneric();
`;

export const source = (code: string): string => IMPORTS + code;

const NOTES = `
  let loads = 0;
  export const label = process.env.LABEL;
  export const add = mutation({ args: { text: v.string() }, handler: async (ctx, { text }) => await ctx.db.insert("notes", { text }) });
  export const addAndFail = mutation({ args: { text: v.string() }, handler: async (ctx, { text }) => {
    await ctx.db.insert("notes", { text });
    throw new ConvexError({ refused: text });
  } });
  export const get = query({ args: { id: v.string() }, handler: async (ctx, { id }) => await ctx.db.get(id) });
  export const getOwn = query({ args: { id: v.id("notes") }, handler: async (ctx, { id }) => await ctx.db.get(id) });
  export const normalize = query({ args: { id: v.string() }, handler: async (ctx, { id }) => ctx.db.normalizeId("notes", id) });
  export const texts = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map(({ text }) => text) });
  export const page = query({ args: { cursor: v.union(v.string(), v.null()) },
    handler: async (ctx, { cursor }) => await ctx.db.query("notes").withIndex("by_text").paginate({ cursor, numItems: 2 }) });
  export const search = query({ args: { text: v.string() }, handler: async (ctx, { text }) =>
    (await ctx.db.query("notes").withSearchIndex("search_text", (q) => q.search("text", text)).collect()).map((note) => note.text) });
  export const about = query({ args: {}, handler: async (ctx) => {
    loads += 1;
    return { ...(await ctx.meta.getFunctionMetadata()), label, later: process.env.LABEL, secret: process.env.SECRET ?? null,
      site: process.env.CONVEX_SITE_URL ?? null, identity: await ctx.auth.getUserIdentity() };
  } });
  export const count = mutation({ args: {}, handler: async () => (loads += 1) });
  export const call = mutation({ args: { handle: v.string() }, handler: async (ctx, { handle }) => await ctx.runMutation(handle, { text: "called" }) });
  export const plan = mutation({ args: { handle: v.optional(v.string()), after: v.optional(v.number()) }, handler: async (ctx, { handle, after }) =>
    await ctx.scheduler.runAfter(after ?? 0, handle ?? anyApi.notes.remember, { text: "planned" }) });
  export const planAction = mutation({ args: {}, handler: async (ctx) => await ctx.scheduler.runAfter(0, anyApi.notes.act, {}) });
  export const cancel = mutation({ args: { id: v.string() }, handler: async (ctx, { id }) => { await ctx.scheduler.cancel(id); } });
  export const job = query({ args: { id: v.string() }, handler: async (ctx, { id }) => {
    const job = await ctx.db.system.get(id);
    return job && { name: job.name, state: job.state.kind };
  } });
  export const jobs = query({ args: {}, handler: async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).length });
  export const remember = internalMutation({ args: { text: v.string() }, handler: async (ctx, { text }) => { await ctx.db.insert("notes", { text }); } });
  export const act = internalAction({ args: {}, handler: async (ctx) => { 
    await ctx.runMutation(anyApi.notes.remember, { text: "from an action" });
    await ctx.scheduler.runAfter(0, anyApi.notes.remember, { text: "planned by an action" });
    await ctx.scheduler.cancel(await ctx.scheduler.runAfter(60_000, anyApi.notes.remember, { text: "never" }));
  } });
  export const ask = action({ args: {}, handler: async (ctx) => ({
    texts: await ctx.runQuery(anyApi.notes.texts, {}), label: process.env.LABEL, identity: await ctx.auth.getUserIdentity(),
    ...(await ctx.meta.getFunctionMetadata()),
  }) });
  export const store = action({ args: {}, handler: async (ctx) => {
    const id = await ctx.storage.store(new Blob(["in a component"], { type: "text/plain" }));
    return { id, url: await ctx.storage.getUrl(id), text: await (await ctx.storage.get(id)).text() };
  } });
  export const url = query({ args: { id: v.string() }, handler: async (ctx, { id }) => await ctx.storage.getUrl(id) });
  export const uploadUrl = mutation({ args: {}, handler: async (ctx) => await ctx.storage.generateUploadUrl() });
  export const removeFile = mutation({ args: { id: v.string() }, handler: async (ctx, { id }) => { await ctx.storage.delete(id); } });
  export const stamp = mutation({ args: {}, handler: async (ctx) => {
    const id = await ctx.db.insert("stamps", { at: ctx.db.vars.commitTs });
    return { id, before: ctx.meta.getSnapshotTs() };
  } });
  export const stampOf = query({ args: { id: v.id("stamps") }, handler: async (ctx, { id }) => (await ctx.db.get(id)).at });
`;

const NOTES_SCHEMA = `export default defineSchema({
  notes: defineTable({ text: v.string() }).index("by_text", ["text"]).searchIndex("search_text", { searchField: "text" }),
  stamps: defineTable({ at: v.commitTs() }),
});`;

const NOTES_CRONS = `const crons = cronJobs(); crons.interval("tick", { hours: 1 }, anyApi.notes.remember, { text: "tick" }); export default crons;`;

const NOTES_HTTP = `const http = httpRouter();
  http.route({ path: "/texts", method: "GET", handler: httpAction(async (ctx) => Response.json(await ctx.runQuery(anyApi.notes.texts, {}))) });
  export default http;`;

export const notesComponent: ComponentSources = {
  notes: {
    files: {
      "convex.config.ts": source(`export default defineComponent("notes", { env: { LABEL: v.optional(v.string()) } });`),
      "notes.ts": source(NOTES),
      "schema.ts": source(NOTES_SCHEMA),
      "crons.ts": source(NOTES_CRONS),
      "http.ts": source(NOTES_HTTP),
    },
  },
};

const nestedComponents: ComponentSources = {
  "later/notes": {
    files: {
      "convex.config.ts": source(`export default defineComponent("notes");`),
      "notes.ts": source(`
        export const add = mutation({ args: { text: v.string() }, handler: async (ctx, { text }) => await ctx.db.insert("notes", { text, version: 2 }) });
        export const all = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map(({ text, version }) => ({ text, version })) });`),
    },
  },
  outer: {
    dependencies: ["later/notes"],
    files: {
      "convex.config.ts": source(
        `import notes from "${componentImport("later/notes")}"; const component = defineComponent("outer"); component.use(notes); export default component;`,
      ),
      "outer.ts": source(`
        export const add = mutation({ args: { text: v.string() }, handler: async (ctx, { text }) => await ctx.runMutation(components.notes.notes.add, { text }) });
        export const all = query({ args: {}, handler: async (ctx) => await ctx.runQuery(components.notes.notes.all, {}) });
        export const handle = mutation({ args: {}, handler: async () => await createFunctionHandle(components.notes.notes.add) });`),
    },
  },
};

export const components: ComponentSources = { ...notesComponent, ...nestedComponents };

export const importOf = (name: string, path: string): string => `import ${name} from "${componentImport(path)}";`;

const APP = `
  const refs = { first: components.first, second: components.second, outer: components.outer };
  const named = ({ mount, module, name }) => refs[mount][module ?? "notes"][name];
  const args = { mount: v.string(), module: v.optional(v.string()), name: v.string(), args: v.any() };
  export const read = query({ args, handler: async (ctx, call) => await ctx.runQuery(named(call), call.args) });
  export const write = mutation({ args, handler: async (ctx, call) => await ctx.runMutation(named(call), call.args) });
  export const run = action({ args, handler: async (ctx, call) => await ctx.runAction(named(call), call.args) });
  export const readFromAction = action({ args, handler: async (ctx, call) => await ctx.runQuery(named(call), call.args) });
  export const catching = mutation({ args: {}, handler: async (ctx) => {
    await ctx.db.insert("notes", { text: "app" });
    await ctx.runMutation(components.first.notes.add, { text: "kept" });
    try {
      await ctx.runMutation(components.first.notes.addAndFail, { text: "undone" });
    } catch (error) {
      return error.data;
    }
  } });
  export const texts = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map(({ text }) => text) });
  export const get = query({ args: { id: v.string() }, handler: async (ctx, { id }) => await ctx.db.get(id) });
  export const add = mutation({ args: { text: v.string() }, handler: async (ctx, { text }) => await ctx.db.insert("notes", { text }) });
  export const noted = internalMutation({ args: { text: v.string() }, handler: async (ctx, { text }) => {
    const identity = await ctx.auth.getUserIdentity();
    await ctx.db.insert("notes", { text: text + " " + (identity?.subject ?? "nobody") });
    return (await ctx.meta.getFunctionMetadata()).componentPath;
  } });
  export const passHandle = mutation({ args: { name: v.string() }, handler: async (ctx, { name }) =>
    await ctx.runMutation(components.first.notes[name], { handle: await createFunctionHandle(anyApi.app.noted) }) });
  export const schedule = mutation({ args: {}, handler: async (ctx) => await ctx.scheduler.runAfter(0, components.second.notes.add, { text: "from the app" }) });
  export const url = query({ args: { id: v.string() }, handler: async (ctx, { id }) => await ctx.storage.getUrl(id) });
  export const jobs = query({ args: {}, handler: async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).length });
`;

export const app = {
  "convex.config.ts": source(`${importOf("notes", "notes")} ${importOf("outer", "outer")}
    const app = defineApp({ env: { FIRST_LABEL: v.optional(v.string()) } });
    app.use(notes, { name: "first", httpPrefix: "/first/", env: { LABEL: app.env.FIRST_LABEL } });
    app.use(notes, { name: "second", env: { LABEL: "two" } });
    app.use(outer);
    export default app;`),
  "app.ts": source(APP),
};
