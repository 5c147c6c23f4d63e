import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../../../tests/convex/backends.ts";
import { refused } from "../../../tests/convex/expect.ts";
import { addImage } from "../../../tests/convex/pictures.ts";
import { seeded } from "../../../tests/convex/seeded.ts";
import { api } from "../../_generated/api";
import type { Id } from "../../_generated/dataModel";
import { sortNameOf } from "./order";

describe.each(backends)("manual order on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
  });
  afterAll(() => backend.close());

  const newDesign = () => ada.mutation(api.designs.create, { projectId, name: "a design" });
  const order = async (designId: string) =>
    (await ada.query(api.designImages.getDesignImagesByDesignId, { designId })).map(({ _id }) => _id);
  const move = (id: string, to: "up" | "down" | "first" | "last" | "before" | "after", beside?: string) =>
    ada.mutation(api.designImages.reorder, { id, to, ...(beside !== undefined && { beside }) });
  async function withImages(count: number) {
    const designId = await newDesign();
    const ids: Id<"designImages">[] = [];
    for (let each = 0; each < count; each++) ids.push((await addImage(backend, ada, designId, `${each}`)).id);
    return { designId, ids };
  }
  it("follows the batch order, whichever file arrives first", async () => {
    const designId = await newDesign();
    const ids: Id<"designImages">[] = [];
    const add = async (batch: string, index: number) => {
      const { id } = await addImage(backend, ada, designId, `${batch} ${index}`, { batch, index });
      return (ids[batch === "a" ? index : 12 + index] = id);
    };
    for (const index of [2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 11, 0]) await add("a", index);
    await add("b", 0);
    await add("b", 2);
    await add("b", 1);
    expect(await order(designId)).toEqual(ids);
    const late = await addImage(backend, ada, designId, "late", { batch: "b", index: 3 });
    expect((await order(designId)).at(-1)).toBe(late.id);
  });

  it("appends a file that arrives after files of another batch", async () => {
    const designId = await newDesign();
    const first = await addImage(backend, ada, designId, "first", { batch: "a", index: 1 });
    const other = await addImage(backend, ada, designId, "other", { batch: "b", index: 0 });
    const late = await addImage(backend, ada, designId, "late", { batch: "a", index: 0 });
    expect(await order(designId)).toEqual([first.id, other.id, late.id]);
  });

  const withoutKeys = async (ids: string[]) => {
    for (const id of ids) {
      const row = await backend.inside.query(probe.row, { table: "designImages", id });
      const { _id: _, _creationTime: __, orderKey: ___, ...fields } = row ?? {};
      await backend.inside.mutation(probe.replace, { table: "designImages", id, row: fields });
    }
  };

  it("starts in upload order and matches a model through random changes", async () => {
    const { designId, ids } = await withImages(7);
    expect(await order(designId)).toEqual(ids);
    const random = seeded(6);
    const [first] = ids;
    if (!first) throw new Error("no images");
    let model = [...ids];
    const trashed: Id<"designImages">[] = [];
    for (let step = 0; step < 60; step++) {
      const id = model[Math.floor(random() * model.length)] ?? first;
      const others = model.filter((each) => each !== id);
      const beside = others[Math.floor(random() * others.length)] ?? first;
      const at = model.indexOf(id);
      const kind = (["up", "down", "first", "last", "before", "after", "trash", "restore"] as const)[Math.floor(random() * 8)];
      if (kind === "trash" && model.length > 4) {
        await ada.mutation(api.designImages.moveToTrash, { id });
        trashed.push(id);
        model = others;
      } else if (kind === "restore" && trashed.length > 0) {
        const back = trashed.pop() ?? first;
        await ada.mutation(api.trash.restore, { id: back });
        const now = await order(designId);
        model.splice(now.indexOf(back), 0, back);
      } else if (kind && kind !== "trash" && kind !== "restore") {
        const target = {
          up: at - 1,
          down: at + 1,
          first: 0,
          last: others.length,
          before: others.indexOf(beside),
          after: others.indexOf(beside) + 1,
        };
        others.splice(Math.max(0, target[kind]), 0, id);
        await move(id, kind, kind === "before" || kind === "after" ? beside : undefined);
        model = others;
      }
      expect(await order(designId), `step ${step}: ${kind}`).toEqual(model);
    }
  });

  it("writes only the moved row", async () => {
    const { designId, ids } = await withImages(5);
    const keys = async () =>
      new Map(
        (await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId })).map((row) => [
          row["_id"],
          row["orderKey"],
        ]),
      );
    const before = await keys();
    await move(ids[4] ?? "", "after", ids[0]);
    const after = await keys();
    expect([...after].filter(([id, key]) => before.get(id) !== key).map(([id]) => id)).toEqual([ids[4]]);
  });

  it("applies concurrent moves of two users", async () => {
    const { designId, ids } = await withImages(6);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = ids;
    await Promise.all([move(e, "after", a), move(f, "after", a), move(b, "last")]);
    const now = await order(designId);
    expect(now.toSorted()).toEqual(ids.toSorted());
    expect(new Set(now.slice(0, 3))).toEqual(new Set([a, e, f]));
    expect(now.slice(3)).toEqual([c, d, b]);
    await Promise.all([move(c, "first"), move(c, "last"), move(d, "up")]);
    expect((await order(designId)).toSorted()).toEqual(ids.toSorted());
  });

  it("sorts equal keys by age and inserts between them", async () => {
    const { designId, ids } = await withImages(5);
    for (const id of ids.slice(1, 4)) await backend.inside.mutation(probe.patch, { table: "designImages", id, fields: { orderKey: "a1" } });
    await backend.inside.mutation(probe.patch, { table: "designImages", id: ids[4] ?? "", fields: { orderKey: "a2" } });
    const [a = "", b = "", c = "", d = "", e = ""] = ids;
    expect(await order(designId)).toEqual([a, b, c, d, e]);
    await move(e, "before", c);
    expect(await order(designId)).toEqual([a, b, e, c, d]);
    await move(d, "up");
    expect(await order(designId)).toEqual([a, b, e, d, c]);
    await move(a, "after", b);
    expect(await order(designId)).toEqual([b, a, e, d, c]);
  });

  it("adds keys to rows of an earlier build on the first move", async () => {
    const { designId, ids } = await withImages(5);
    const [a = "", b = "", c = "", d = "", e = ""] = ids;
    await withoutKeys([a, b, c]);
    expect(await order(designId)).toEqual(ids);
    await move(e, "before", b);
    expect(await order(designId)).toEqual([a, e, b, c, d]);
    await move(a, "down");
    expect(await order(designId)).toEqual([e, a, b, c, d]);
  });

  it("returns the neighbours of an image", async () => {
    const { designId, ids } = await withImages(4);
    await move(ids[3] ?? "", "first");
    const now = await order(designId);
    const around = await Promise.all(now.map((id) => ada.query(api.designImages.getDesignImageInPlace, { id })));
    expect(around.map(({ previous }) => previous)).toEqual([null, ...now.slice(0, -1)]);
    expect(around.map(({ next }) => next)).toEqual([...now.slice(1), null]);
  });

  it("applies to designs and projects, whose other orders put favourites first", async () => {
    const bob = await signUp(backend, "bob");
    const make = async (names: string[]) => {
      const ids: Id<"projects">[] = [];
      for (const name of names) ids.push(await bob.mutation(api.projects.create, { name }));
      return ids;
    };
    const [ten = "", two = "", zebra = "", apple = ""] = await make(["Screen 10", "screen 2", "Zebra", "Äpfel"]);
    const names = async (sort: "manual" | "name" | "created" | "changed") => {
      const first = (await bob.query(api.projects.getProjects, { sort })).map(({ name }) => name);
      const { page } = await bob.query(api.projects.listProjects, { sort, paginationOpts: { cursor: null, numItems: 10 } });
      expect(page.map(({ name }) => name)).toEqual(first);
      return first;
    };
    expect(await names("name")).toEqual(["Äpfel", "screen 2", "Screen 10", "Zebra"]);
    expect(await names("created")).toEqual(["Äpfel", "Zebra", "screen 2", "Screen 10"]);
    await bob.mutation(api.projects.reorder, { id: ten, to: "after", beside: two });
    await bob.mutation(api.projects.setFavourite, { id: zebra, favourite: true });
    await bob.mutation(api.projects.rename, { id: two, name: "Screen 3" });
    expect(await names("manual")).toEqual(["Screen 3", "Screen 10", "Zebra", "Äpfel"]);
    expect(await names("name")).toEqual(["Zebra", "Äpfel", "Screen 3", "Screen 10"]);
    expect(await names("changed")).toEqual(["Zebra", "Screen 3", "Äpfel", "Screen 10"]);
    const second = await bob.query(api.projects.listProjects, { sort: "name", paginationOpts: { cursor: null, numItems: 2 } });
    const rest = await bob.query(api.projects.listProjects, {
      sort: "name",
      paginationOpts: { cursor: second.continueCursor, numItems: 5 },
    });
    expect([...second.page, ...rest.page].map(({ name }) => name)).toEqual(["Zebra", "Äpfel", "Screen 3", "Screen 10"]);

    const [one, other] = [
      await bob.mutation(api.designs.create, { projectId: apple, name: "b" }),
      await bob.mutation(api.designs.create, { projectId: apple, name: "a" }),
    ];
    await bob.mutation(api.designs.reorder, { id: other, to: "first" });
    const designs = async () =>
      (await bob.query(api.designs.getDesignsByProjectId, { projectId: apple, sort: "manual" })).map(({ _id }) => _id);
    expect(await designs()).toEqual([other, one]);
    const elsewhere = await bob.mutation(api.designs.create, { projectId: two, name: "elsewhere" });
    for (const beside of [elsewhere, await newDesign(), "nonsense"]) {
      expect(await refused(bob.mutation(api.designs.reorder, { id: one, to: "before", beside }))).toEqual({ code: "not_found" });
    }
    expect(await refused(bob.mutation(api.designs.reorder, { id: one, to: "before" }))).toEqual({ code: "not_found" });
  });
});

it("sorts names case-insensitively and numerically", () => {
  const names = ["Screen 10", "screen 2", "Éclair", "eclipse", "Zebra", "007", "7b", "Ω"];
  expect(names.toSorted((a, b) => (sortNameOf(a) < sortNameOf(b) ? -1 : 1))).toEqual([
    "007",
    "7b",
    "Éclair",
    "eclipse",
    "screen 2",
    "Screen 10",
    "Zebra",
    "Ω",
  ]);
});
