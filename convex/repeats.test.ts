import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Entry, entries, validArguments } from "../tests/convex/access-entries.ts";
import { createFixtures, type Fixtures } from "../tests/convex/access-fixtures.ts";
import { backends, probe } from "../tests/convex/backends.ts";
import { exportedFunctions } from "../tests/convex/exported-functions.ts";
import { refusalOf } from "./model/errors";
import schema from "./schema";

/** Mutations whose repetition does more. The app repeats them only after a write conflict, which undoes the first call. */
const ADDITIVE: Record<string, string> = {
  "accounts/accessTokens:create": "creates another token",
  "accounts/invitations:create": "replaces the token",
  "accounts/mail:queue": "queues another mail",
  "accounts/mail:claimAll": "claims the mails that are due then",
  "admin/auditLog:recordExport": "records another export",
  "admin/invitations:create": "replaces the token",
  "admin/jobs:repeat": "records another request",
  "admin/mail:queueTest": "queues another mail",
  "auditLog:recordBackup": "records another backup",
  "auditLog:recordExport": "records another export",
  "auditLog:recordFailure": "records another failure",
  "bulk:start": "starts another job",
  "bulk:dismiss": "the first job ends meanwhile",
  "designImages:duplicate": "creates another copy",
  "designImages:rotate": "turns further",
  "designs:create": "creates another design",
  "designs:duplicate": "creates another copy",
  "invitations:invite": "replaces the token",
  "links:change": "records another change",
  "links:create": "creates another link without the form's key",
  "many:copyDesigns": "creates further copies",
  "many:copyImages": "creates further copies",
  "projects:create": "creates another project",
  "projects:createWithDesign": "creates another project",
  "projects:duplicate": "creates another copy",
  "undo:revert": "redoes the step",
  "webhooks:create": "creates another webhook",
  "webhooks:sendTest": "sends another test",
  "webhooks:claim": "extends the claim",
  "webhooks:claimDue": "claims the deliveries that are due then",
};

/** Refusals after which nothing is left to do. */
const DONE_BEFORE = ["not_found", "invalid", "conflict"];

const mutations = (await exportedFunctions()).flatMap(({ name, type, isPublic }) => {
  const entry = entries[name];
  return isPublic && type === "Mutation" && entry ? [[name, entry] as const] : [];
});

/** Each test reads all rows twice, and adds some. */
const TESTS_PER_BACKEND = 15;

const start = async () => createFixtures(await (backends[0] ?? expect.fail("no backend")).start());
let fixtures: Fixtures;
let tests = 0;
beforeAll(async () => void (fixtures = await start()));
beforeEach(async () => {
  if (++tests % TESTS_PER_BACKEND !== 0) return;
  await fixtures.backend.close();
  fixtures = await start();
});
afterAll(() => fixtures.backend.close());

/** The rows of all tables. The times of changes are left out, because a repetition may renew them. */
async function rowsOf({ backend }: Fixtures): Promise<Record<string, string[]>> {
  await backend.settle();
  const tables = Object.keys(schema.tables).map(async (table) => {
    const rows = await backend.inside.query(probe.rows, { table });
    return [table, rows.map((row) => JSON.stringify(row, withoutTimes)).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

const withoutTimes = (_name: string, value: unknown) => (typeof value === "number" && value > 1e12 ? "time" : value);

/** Jobs change these rows by the time. */
const UNRELATED = new Set(["presence", "presenceBeats", "presenceSweeps", "revocations"]);

async function call(name: string, entry: Entry, args: Record<string, unknown>): Promise<string> {
  const caller = entry.by !== "person" ? fixtures.server : entry.administrator ? fixtures.administrator : fixtures.ada;
  return caller.mutation(makeFunctionReference<"mutation">(name), args).then(
    () => "done",
    (error: unknown) => refusalOf(error)?.code ?? String(error),
  );
}

it.each(mutations)("%s changes nothing when it is repeated", { tags: "@mutations-are-repeatable" }, async (name, entry) => {
  const args = await validArguments(fixtures, entry, entry.administrator ? fixtures.administrator : fixtures.ada);
  const first = await call(name, entry, args);
  const once = await rowsOf(fixtures);
  const second = await call(name, entry, args);
  const twice = await rowsOf(fixtures);
  const changed = Object.keys(once).filter(
    (table) => !UNRELATED.has(table) && JSON.stringify(once[table]) !== JSON.stringify(twice[table]),
  );
  expect(first).toBe(name === "members:leave" ? "not_found" : "done");
  expect(["done", ...DONE_BEFORE]).toContain(second);
  expect(changed.length > 0, changed.join()).toBe(name in ADDITIVE);
});
