import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// Pages and jobs of older builds call these functions. `RECORD=1` adds signatures to `surface.json`. Remove one only when none is in use.
const RECORD = fileURLToPath(new URL("./surface.json", import.meta.url));

type Field = { fieldType: Shape; optional: boolean };
type Shape = { type: string; value?: unknown };
type Signature = { type: "query" | "mutation" | "action"; args: Shape; returns: Shape | null };
type Surface = Record<string, Signature>;

const fieldsOf = ({ value }: Shape) => Object.entries(Object(value) as Record<string, Field>);
const membersOf = (shape: Shape) => (shape.type === "union" && Array.isArray(shape.value) ? (shape.value as Shape[]) : [shape]);
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function takes(now: Shape, before: Shape): boolean {
  if (now.type === "any" || isSame(now, before)) return true;
  if (before.type === "union" || now.type === "union")
    return membersOf(before).every((member) => membersOf(now).some((each) => takes(each, member)));
  if (now.type !== before.type) return false;
  if (now.type === "array") return takes(now.value as Shape, before.value as Shape);
  if (now.type !== "object") return false;
  const known = new Map(fieldsOf(before));
  const has = new Map(fieldsOf(now));
  return (
    fieldsOf(now).every(([name, field]) => known.has(name) || field.optional) &&
    fieldsOf(before).every(([name, { fieldType, optional }]) => {
      const field = has.get(name);
      return field !== undefined && (field.optional || !optional) && takes(field.fieldType, fieldType);
    })
  );
}

function answers(now: Shape, before: Shape): boolean {
  if (before.type === "any" || isSame(now, before)) return true;
  if (before.type === "union" || now.type === "union")
    return membersOf(now).every((member) => membersOf(before).some((each) => answers(member, each)));
  if (now.type !== before.type) return false;
  if (now.type === "array") return answers(now.value as Shape, before.value as Shape);
  if (now.type !== "object") return false;
  const has = new Map(fieldsOf(now));
  return fieldsOf(before).every(([name, { fieldType, optional }]) => {
    const field = has.get(name);
    return field !== undefined && (!field.optional || optional) && answers(field.fieldType, fieldType);
  });
}

type Exported = { isQuery?: true; isMutation?: true; isAction?: true; exportArgs?: () => string; exportReturns?: () => string } | undefined;

async function surfaceOf(modules: Record<string, () => Promise<Record<string, Exported>>>): Promise<Surface> {
  const surface: Surface = {};
  for (const [path, load] of Object.entries(modules))
    for (const [name, value] of Object.entries(await load())) {
      if (!value?.exportArgs) continue;
      surface[`${path.slice("./".length, -".ts".length)}:${name}`] = {
        type: value.isQuery ? "query" : value.isMutation ? "mutation" : "action",
        args: JSON.parse(value.exportArgs()),
        returns: JSON.parse(value.exportReturns?.() ?? "null"),
      };
    }
  return surface;
}

async function record(surface: Surface): Promise<void> {
  const lines = Object.entries(surface).map(([name, signature]) => `${JSON.stringify(name)}: ${JSON.stringify(signature)}`);
  await writeFile(RECORD, `{\n${lines.join(",\n")}\n}\n`);
}

it("accepts the recorded arguments and returns the recorded shapes", async () => {
  const now = await surfaceOf(
    import.meta.glob<Record<string, Exported>>(["./**/*.ts", "!./**/*.test.ts", "!./_generated/**", "!./{crons,schema,auth.config}.ts"]),
  );
  const before: Surface = JSON.parse(await readFile(RECORD, "utf8"));
  const broken = Object.entries(before).flatMap(([name, { type, args, returns }]) => {
    const current = now[name];
    if (!current) return [`${name} is missing`];
    if (current.type !== type) return [`${name} was a ${type}`];
    return [
      ...(takes(current.args, args) ? [] : [`${name} no longer takes what it took`]),
      ...(!returns || (current.returns && answers(current.returns, returns)) ? [] : [`${name} no longer answers what it answered`]),
    ];
  });
  expect(broken).toEqual([]);
  const all = { ...before, ...now };
  if (process.env["RECORD"]) return record(all);
  expect(isSame(before, all), "new functions, or more of old ones: RECORD=1 npx vitest run convex/surface.test.ts").toBe(true);
});

it("distinguishes breaking from compatible changes", () => {
  const text: Shape = { type: "string" };
  const object = (fields: Record<string, Field>): Shape => ({ type: "object", value: fields });
  const before = object({ id: { fieldType: text, optional: false } });
  const more = (optional: boolean) => object({ id: { fieldType: text, optional: false }, sort: { fieldType: text, optional } });
  const either: Shape = { type: "union", value: [text, { type: "null" }] };
  expect([takes(more(true), before), takes(more(false), before), takes(before, more(true))]).toEqual([true, false, false]);
  expect([takes(either, text), takes(text, either), takes({ type: "number" }, text)]).toEqual([true, false, false]);
  expect([answers(text, either), answers(either, text)]).toEqual([true, false]);
  expect([
    answers(more(false), before),
    answers(before, more(true)),
    answers(object({ id: { fieldType: text, optional: true } }), before),
  ]).toEqual([true, false, false]);
});
