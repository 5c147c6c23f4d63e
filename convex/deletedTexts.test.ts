import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GenericValidator, Value } from "convex/values";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { startTestDeployment } from "../tests/convex/deployment.ts";
import { embeddedOn } from "../tests/convex/embedded.ts";
import { allDataOf, ownedTables } from "../tests/convex/everything.ts";
import { fillTexts } from "../tests/convex/fill-texts.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { equals } from "../tests/convex/equals.ts";
import { api } from "./_generated/api";
import schema from "./schema";

const MARK = "qzxmark";
const NOT_TEXTS = ["checksum"];
const WITHOUT_TEXTS = ["taggings", "linkVisits", "savedLinks", "presenceBeats", "presencePointers", "projectAccess", "designAccess"];
const MINUTE = 60_000;

describe("texts of permanently deleted data", () => {
  let backend: Backend;
  let dir: string;
  beforeAll(async () => {
    const deployment = await startTestDeployment();
    dir = deployment.dir;
    backend = embeddedOn(deployment);
  });
  afterAll(() => backend.close());

  const filesWith = (mark: string) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readIfPresent(path).includes(mark));

  async function fillRows(table: string, userId: string): Promise<number> {
    const validator = fieldsOf(table);
    const rows = (await backend.inside.query(probe.rows, { table })).filter((row) => JSON.stringify(row).includes(userId));
    for (const { _id, _creationTime: _, ...row } of rows) {
      const filled = fillTexts(validator, row as Record<string, Value>, MARK, userId) as Record<string, Value>;
      for (const field of NOT_TEXTS) if (field in row) filled[field] = row[field] as Value;
      await backend.inside.mutation(probe.replace, { table, id: String(_id), row: filled });
    }
    return rows.length;
  }

  it("are in no file a minute after the deletion of an account with every field", { tags: "slow", timeout: 2 * MINUTE }, async () => {
    const person = await signUp(backend, "ada");
    await allDataOf(backend, person, MARK);
    const [user] = await backend.inside.query(probe.rows, { table: "users", field: "id", value: person.userId });
    const named = { email: `${MARK}@example.com`, name: MARK };
    await backend.inside.mutation(probe.patch, { table: "users", id: String(user?.["_id"]), fields: named });
    for (const table of ownedTables.filter((each) => !WITHOUT_TEXTS.includes(each)))
      expect(await fillRows(table, person.userId), `rows of ${table}`).toBeGreaterThan(0);
    const where = [equals("id", person.userId)];
    await (await appServer(backend)).mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    await expect.poll(() => filesWith(MARK), { timeout: MINUTE }).toEqual([]);
  });

  const LEVELS = ["image", "design", "project"] as const;
  it("are in no file a minute after an item's deletion or an emptied trash", { tags: "slow", timeout: 2 * MINUTE }, async () => {
    const marks: string[] = [];
    for (const kind of LEVELS)
      for (const isEmptied of [false, true]) {
        const mark = `${MARK}-${kind}-${isEmptied ? "emptied" : "deleted"}`;
        marks.push(mark);
        const named = (level: (typeof LEVELS)[number]) => (LEVELS.indexOf(level) <= LEVELS.indexOf(kind) ? mark : "kept");
        const person = await signUp(backend, "ada");
        const projectId = await person.mutation(api.projects.create, { name: named("project") });
        const elsewhere = await person.mutation(api.projects.create, { name: "elsewhere" });
        const designId = await person.mutation(api.designs.create, { projectId, name: named("design") });
        const other = await person.mutation(api.designs.create, { projectId: elsewhere, name: "other" });
        const { id } = await addImage(backend, person, designId, `${named("image")}.png`);
        const { id: moved } = await addImage(backend, person, designId, "kept.png");
        await describeItems(person, { projectId, designId, id }, named);
        await reviewItems(person, { projectId, designId, id }, named);
        await addVersion(backend, person, id, `${named("image")} again.png`);
        await person.mutation(api.projects.setCover, { id: projectId, imageId: id });
        await person.mutation(api.designImages.move, { ids: [moved], designId: other });
        await person.mutation(api.designs.duplicate, { id: designId });
        await backend.settle();
        const copies = await person.query(api.designs.getDesignsByProjectId, { projectId });

        const deleted = { project: projectId, design: designId, image: id }[kind];
        const { moveToTrash } = { project: api.projects, design: api.designs, image: api.designImages }[kind];
        for (const copy of copies) if (copy._id !== designId) await purge(person, api.designs.moveToTrash, copy._id);
        await person.mutation(moveToTrash, { id: deleted });
        await person.mutation(api.trash.restore, { id: deleted });
        await person.mutation(moveToTrash, { id: deleted });
        expect(filesWith(mark)).not.toEqual([]);
        if (isEmptied) await person.mutation(api.trash.empty, {});
        else await person.mutation(api.trash.purge, { id: deleted });
      }
    await backend.settle();
    await expect.poll(() => marks.flatMap(filesWith), { timeout: MINUTE }).toEqual([]);
  });

  async function purge(person: Person, moveToTrash: typeof api.designs.moveToTrash, id: string): Promise<void> {
    await person.mutation(moveToTrash, { id });
    await person.mutation(api.trash.purge, { id });
  }

  async function reviewItems(
    person: Person,
    { projectId, designId, id }: { projectId: string; designId: string; id: string },
    named: (level: "image" | "design" | "project") => string,
  ): Promise<void> {
    const { userId } = await signUp(backend, "rev");
    const row = { projectId, userId, role: "commenter", addedAt: 0, addedBy: "ada" };
    await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
    for (const [itemId, note] of [
      [designId, named("design")],
      [id, named("image")],
    ] as const) {
      await person.mutation(api.reviews.request, { id: itemId, userIds: [userId], dueOn: "", note });
      await person.mutation(api.reviews.setStatus, { id: itemId, status: "inReview", note, step: `review ${itemId}` });
    }
  }

  async function describeItems(
    person: Person,
    { projectId, designId, id }: { projectId: string; designId: string; id: string },
    named: (level: "image" | "design" | "project") => string,
  ): Promise<void> {
    await person.mutation(api.projects.rename, { id: projectId, name: `${named("project")} again` });
    await person.mutation(api.projects.setDescription, { id: projectId, description: named("project"), step: "a" });
    await person.mutation(api.designs.rename, { id: designId, name: `${named("design")} again`, step: "b" });
    await person.mutation(api.designs.setDescription, { id: designId, description: named("design") });
    await person.mutation(api.tags.tagDesign, { id: designId, tag: named("design").slice(0, 40) });
    await person.mutation(api.designImages.rename, { id, name: `${named("image")} renamed`, step: "c" });
    await person.mutation(api.designImages.setCaption, { id, caption: named("image") });
    await person.mutation(api.tags.tagImage, { id, tag: `${named("image")}i`.slice(0, 40) });
  }
});

function fieldsOf(table: string): GenericValidator {
  const found = Object.entries(schema.tables).find(([name]) => name === table);
  if (!found) throw new Error(`There is no table ${table}`);
  return found[1].validator;
}

function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
