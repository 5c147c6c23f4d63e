import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { checkData } from "../../check/check-data.ts";
import { startScheduler } from "../../scheduler/scheduler.ts";
import type { Json } from "../../values/types.ts";
import { anonymous, call, Fixture, user } from "../testing.ts";
import type { Call } from "../types.ts";
import { app, components, importOf, notesComponent, source } from "./component-fixture.ts";

let fixture: Fixture;
let scheduler: Awaited<ReturnType<typeof startScheduler>>;

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.runner.environment.update([
    { name: "FIRST_LABEL", value: "one" },
    { name: "SECRET", value: "of the app" },
  ]);
  await fixture.push(app, components);
  scheduler = await startScheduler(fixture.runner);
});
afterAll(async () => {
  await scheduler.stop();
  await fixture.remove();
});

type Mount = "first" | "second" | "outer";
type More = Partial<Call> & { module?: string };

const through =
  (path: string) =>
  (mount: Mount, name: string, args: Json = {}, { module, ...more }: More = {}): Promise<Json> =>
    fixture.value(path, { mount, name, args, ...(module !== undefined && { module }) }, more);
const read = through("app:read");
const write = through("app:write");
const run = through("app:run");
const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 20 });
const failure = async (path: string, args: Json, more?: Partial<Call>): Promise<string> =>
  (await fixture.failure(path, args, more)).message;
const named = (mount: Mount, name: string, args: Json = {}): Json => ({ mount, name, args });

describe("tables", () => {
  test("are separate for two mounts of one component and for the app", async () => {
    await write("first", "add", { text: "a" });
    await write("second", "add", { text: "b" });
    await fixture.value("app:add", { text: "c" });
    expect(await read("first", "texts")).toContain("a");
    expect(await read("second", "texts")).not.toContain("a");
    expect(await fixture.value("app:texts")).toContain("c");
    expect(await read("first", "texts")).not.toContain("c");
  });

  test("do not accept ids of other components", async () => {
    const id = await write("first", "add", { text: "own" });
    expect(await read("first", "get", { id })).toMatchObject({ _id: id, text: "own" });
    expect(await read("second", "get", { id })).toBeNull();
    expect(await fixture.value("app:get", { id })).toBeNull();
    expect(await read("first", "normalize", { id })).toBe(id);
    expect(await read("second", "normalize", { id })).toBeNull();
    expect(await read("first", "getOwn", { id })).toMatchObject({ text: "own" });
    expect(await failure("app:read", named("second", "getOwn", { id }))).toContain("ArgumentValidationError");
  });

  test("can be paginated and searched", async () => {
    for (const text of ["zebra one", "zebra two", "zebra three"]) await write("second", "add", { text });
    const first = (await read("second", "page", { cursor: null })) as { page: object[]; isDone: boolean; continueCursor: string };
    expect(first).toMatchObject({ isDone: false, page: [{}, {}] });
    const next = (await read("second", "page", { cursor: first.continueCursor })) as { page: object[] };
    expect(next.page[0]).not.toEqual(first.page[0]);
    expect(await read("second", "search", { text: "zebra" })).toHaveLength(3);
    expect(await read("first", "search", { text: "zebra" })).toEqual([]);
  });

  test("are separate for a nested component of another version", async () => {
    await write("outer", "add", { text: "inside" }, { module: "outer" });
    expect(await read("outer", "all", {}, { module: "outer" })).toEqual([{ text: "inside", version: 2 }]);
    expect(await read("first", "texts")).not.toContain("inside");
  });

  test("store commit timestamps", async () => {
    const { id } = (await write("first", "stamp")) as { id: string };
    expect(await read("first", "stampOf", { id })).toMatchObject({ $integer: expect.any(String) });
  });
});

describe("calls", () => {
  test("undo the writes of a failed mutation when the caller catches its error", async () => {
    expect(await fixture.value("app:catching")).toEqual({ refused: "undone" });
    const texts = await read("first", "texts");
    expect(texts).toContain("kept");
    expect(texts).not.toContain("undone");
    expect(await fixture.value("app:texts")).toContain("app");
  });

  test("undo all writes when the caller does not catch the error", async () => {
    await failure("app:write", named("second", "addAndFail", { text: "gone" }));
    expect(await read("second", "texts")).not.toContain("gone");
  });

  test("expose their component, variables and caller to functions", async () => {
    const more = { identity: user("ada") };
    expect(await read("first", "about", {}, more)).toEqual({
      name: "notes:about",
      componentPath: "first",
      type: "query",
      visibility: "public",
      label: "one",
      later: "one",
      secret: null,
      site: "http://127.0.0.1:3211",
      identity: null,
    });
    expect(await read("second", "about")).toMatchObject({ componentPath: "second", label: "two" });
  });

  test("share no module state between mounts", async () => {
    const before = (await write("first", "count")) as number;
    await write("second", "count");
    await write("second", "count");
    expect(await write("first", "count")).toBe(before + 1);
  });

  test("run in the component of the calling action", async () => {
    const texts = await read("first", "texts");
    expect(await run("first", "ask", {}, { identity: user("ada") })).toEqual({
      texts,
      label: "one",
      identity: null,
      name: "notes:ask",
      componentPath: "first",
      type: "action",
      visibility: "public",
    });
    expect(await fixture.value("app:readFromAction", named("first", "texts"))).toEqual(texts);
  });

  test("reach functions of other components by a handle, without the user", async () => {
    expect(await fixture.value("app:passHandle", { name: "call" }, { identity: user("ada") })).toBe("");
    expect(await fixture.value("app:texts")).toContain("called nobody");
    expect(await write("outer", "handle", {}, { module: "outer" })).toBe("function://outer/notes;notes.js:add");
  });

  test("can name the component if an administrator makes them", async () => {
    const more = { component: "first", visibility: "any" } as const;
    await fixture.value("notes:remember", { text: "by an administrator" }, more);
    expect(await fixture.value("notes:texts", {}, more)).toContain("by an administrator");
  });
});

describe("refusals", () => {
  test("keep clients out of components", async () => {
    const message =
      "Could not find public function for 'notes:texts' in the component \"first\": clients cannot call functions of components.";
    expect(await failure("notes:texts", {}, { component: "first" })).toContain(message);
    expect(await failure("notes:ask", {}, { component: "first" })).toContain("clients cannot call");
    expect(await failure("notes:texts", {}, { component: "nothing" })).toContain("clients cannot call");
  });

  test("name the functions that a component has", async () => {
    expect(await failure("app:read", named("first", "nothing"))).toMatch(
      /Could not find public function for 'notes:nothing' in the component "first"\. Its functions: notes:about, notes:add/,
    );
    expect(await failure("app:write", named("first", "remember", { text: "" }))).toContain(
      "Could not find public function for 'notes:remember'",
    );
    expect(await failure("app:write", named("first", "texts"))).toContain(
      'Trying to execute notes.js:texts in the component "first" as Mutation, but it is defined as Query.',
    );
  });

  test("name the mounted components for a missing one", async () => {
    await using other = await temporary();
    await other.push({
      "app.ts": source(`export const ask = query({ args: {}, handler: async (ctx) => await ctx.runQuery(components.lost.a.b, {}) });`),
    });
    expect((await other.failure("app:ask")).message).toContain('There is no component "lost". No component is mounted.');
    expect((await fixture.failure("a:b", {}, { component: "lost", visibility: "any" })).message).toContain(
      "Mounted components: first, second, outer, outer/notes.",
    );
  });

  test("explain a reference without a function", async () => {
    await using other = await temporary();
    await other.push({
      "app.ts": source(`export const ask = query({ args: {}, handler: async (ctx) => await ctx.runQuery(components.lost.a, {}) });`),
    });
    expect((await other.failure("app:ask")).message).toContain("expected components.<component>.<module>.<function>");
  });
});

describe("jobs", () => {
  test("run in the component that scheduled them", async () => {
    const id = await write("first", "plan");
    await eventually(async () => expect(await read("first", "job", { id })).toEqual({ name: "notes.js:remember", state: "success" }));
    expect(await read("first", "texts")).toContain("planned");
    expect(await read("second", "texts")).not.toContain("planned");
    expect(await read("second", "jobs")).toBe(0);
    await write("first", "planAction");
    await eventually(async () =>
      expect(await read("first", "texts")).toEqual(expect.arrayContaining(["from an action", "planned by an action"])),
    );
  });

  test("can be canceled only in their component", async () => {
    const id = await write("first", "plan", { after: 60_000 });
    expect(await failure("app:write", named("second", "cancel", { id }))).toContain("There is no scheduled function");
    await write("first", "cancel", { id });
    expect(await read("first", "job", { id })).toMatchObject({ state: "canceled" });
  });

  test("can call another component by a handle or a reference", async () => {
    await fixture.value("app:passHandle", { name: "plan" });
    await eventually(async () => expect(await fixture.value("app:texts")).toContain("planned nobody"));
    const before = (await fixture.value("app:jobs")) as number;
    await fixture.value("app:schedule");
    await eventually(async () => expect(await read("second", "texts")).toContain("from the app"));
    expect(await fixture.value("app:jobs")).toBe(before + 1);
  });

  test("run in each mount if a cron schedules them", async () => {
    await eventually(async () => expect(await read("first", "texts")).toContain("tick"));
    await eventually(async () => expect(await read("second", "texts")).toContain("tick"));
  });
});

describe("files", () => {
  test("belong to the component that stored them", async () => {
    const { id, url, text } = (await run("first", "store")) as { id: string; url: string; text: string };
    expect(text).toBe("in a component");
    expect(await read("first", "url", { id })).toBe(url);
    expect(await read("second", "url", { id })).toBeNull();
    expect(await fixture.value("app:url", { id })).toBeNull();
    expect(await fixture.runner.files.open(url.split("/").at(-1) ?? "")).toMatchObject({ contentType: "text/plain" });
    await write("first", "removeFile", { id });
    expect(await fixture.runner.files.open(url.split("/").at(-1) ?? "")).toBeNull();
  });

  test("are stored in the component that issued the upload URL", async () => {
    const uploadUrl = new URL((await write("second", "uploadUrl")) as string);
    const component = fixture.runner.files.checkUploadToken(uploadUrl.searchParams.get("token") ?? "");
    expect(component).toBe("second");
    const id = await fixture.runner.files.store(bytes("uploaded"), { contentType: null, component });
    expect(await read("second", "url", { id })).toContain("/api/storage/");
    expect(await read("first", "url", { id })).toBeNull();
  });
});

test("live queries rerun when a table of a component changes", async () => {
  const affected: string[] = [];
  const stop = fixture.runner.onCommit((commit) => void affected.push(...commit.affected));
  const query = (token: string, mount: Mount): Promise<unknown> =>
    fixture.runner.queries([{ ...call("app:read", named(mount, "texts")), token }]);
  await query("of first", "first");
  await query("of second", "second");
  await write("second", "add", { text: "changed" });
  expect(affected).toContain("of second");
  expect(affected).not.toContain("of first");
  stop();
});

test("HTTP routes of a component are below its prefix", async () => {
  const get = (path: string): Promise<Response> => fixture.runner.httpAction(new Request(`http://127.0.0.1:3211${path}`), anonymous);
  const response = await get("/first/texts");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(await read("first", "texts"));
  expect((await get("/texts")).status).toBe(404);
});

describe("pushes", () => {
  test("keep the data of components, also after a restart and while unmounted", async () => {
    await using other = await temporary();
    const mounting = (name: string): Record<string, string> => ({
      "convex.config.ts": source(
        `${importOf("notes", "notes")} const app = defineApp(); app.use(notes, { name: "${name}" }); export default app;`,
      ),
      "app.ts": source(`
        export const add = mutation({ args: {}, handler: async (ctx) => await ctx.runMutation(components.${name}.notes.add, { text: "kept" }) });
        export const texts = query({ args: {}, handler: async (ctx) => await ctx.runQuery(components.${name}.notes.texts, {}) });`),
    });
    await other.push(mounting("kept"), notesComponent);
    await other.value("app:add");
    await other.restart();
    expect(await other.value("app:texts")).toEqual(["kept"]);
    await other.push(mounting("other"), notesComponent);
    expect(await other.value("app:texts")).toEqual([]);
    expect(await other.runner.components()).toEqual(["", "kept", "other"]);
    await other.push(mounting("kept"), notesComponent);
    expect(await other.value("app:texts")).toEqual(["kept"]);
  });

  test("leave data that passes check-data", async () => {
    await using other = await temporary();
    await other.push(app, components);
    await other.value("app:write", named("first", "add", { text: "checked" }));
    await other.value("app:run", named("second", "store"));
    await other.runner.close();
    expect(await checkData(other.dir)).toMatchObject({ problems: [], damagedFiles: [], storedFiles: 1 });
    await other.open();
    expect(await other.value("app:read", named("first", "search", { text: "checked" }))).toEqual(["checked"]);
  });

  const using = (code: string): Record<string, string> => ({
    "convex.config.ts": source(`${importOf("notes", "notes")} const app = defineApp(); ${code} export default app;`),
  });
  const requiring = {
    notes: {
      files: {
        "convex.config.ts": source(`export default defineComponent("notes", { env: { KEY: v.union(v.literal("a"), v.literal("b")) } });`),
      },
    },
  };

  test.each<[string, Record<string, string>, typeof components, string]>([
    ["two mounts with one name", using(`app.use(notes); app.use(notes);`), notesComponent, 'uses two components as "notes"'],
    ["an invalid name", using(`app.use(notes, { name: "a/b" });`), notesComponent, 'component name "a/b"'],
    [
      "a missing variable",
      using(`app.use(notes);`),
      requiring,
      'The component "notes" requires the environment variable KEY, which is not set.',
    ],
    ["a wrong variable", using(`app.use(notes, { env: { KEY: "c" } });`), requiring, "environment variable KEY that does not match"],
    [
      "an undeclared variable",
      using(`app.use(notes, { env: { OTHER: "c" } });`),
      notesComponent,
      "OTHER, which its defineComponent() does not declare",
    ],
    ["a missing component", using(`app.use(notes);`), {}, "The component notes is not part of the push."],
    [
      "a component that is defined as an app",
      using(`app.use(notes);`),
      { notes: { files: { "convex.config.ts": source(`export default defineApp();`) } } },
      "must be the result of defineComponent()",
    ],
    [
      "components in a cycle",
      {},
      {
        a: { files: { "convex.config.ts": source(`export default defineComponent("a");`) }, dependencies: ["b"] },
        b: { files: { "convex.config.ts": source(`export default defineComponent("b");`) }, dependencies: ["a"] },
      },
      "Components use each other in a cycle: a → b → a.",
    ],
  ])("refuse %s", async (_what, files, sources, message) => {
    await expect(fixture.analyze(files, sources)).rejects.toThrow(message);
  });

  test("refuse a schema that the component's data does not fit", async () => {
    const { notes } = notesComponent;
    const push = await fixture.analyze(app, {
      ...components,
      notes: {
        files: { ...notes?.files, "schema.ts": source(`export default defineSchema({ notes: defineTable({ text: v.number() }) });`) },
      },
    });
    await expect(fixture.runner.prepare(push, "first")).rejects.toThrow(/Document with ID ".*" in table "notes" does not match the schema/);
  });
});

async function temporary(): Promise<Fixture & AsyncDisposable> {
  const other = await Fixture.start();
  return Object.assign(other, { [Symbol.asyncDispose]: () => other.remove() });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
