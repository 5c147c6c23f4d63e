import { expect, it } from "vitest";
import { probe, signUp } from "../../tests/convex/backends.ts";
import { convexTestBackend } from "../../tests/convex/convex-test.ts";
import { addImage, addVersion } from "../../tests/convex/pictures.ts";
import { api, internal } from "../_generated/api";
import { sortNameOf } from "../model/lists/order";
import { upgradedTables } from "../model/upgrades";
import { searchWords } from "../model/search/words";

const ROWS = 1024;

const TABLES = ["projects", "designs", "designImages", "imageVersions"];

const NAMES: [stored: string, upgraded: string][] = [
  ["Cafe\u0301", "Café"],
  ["photo\u202Egnp.exe", "photognp.exe"],
  ["\u200B", "Untitled"],
  ["طرح\u200cها", "طرح\u200cها"],
];

it(`cleans the names of ${ROWS} rows, also after an interruption`, async () => {
  const backend = await convexTestBackend();
  const ada = await signUp(backend, "ada");
  const rowsOf = (table: string) => backend.inside.query(probe.rows, { table });
  const projectId = await ada.mutation(api.projects.create, { name: "Project" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Design" });
  const { id } = await addImage(backend, ada, designId, "image.png");
  await addVersion(backend, ada, id, "version.png");
  for (const table of TABLES) {
    const [{ _id: _, _creationTime: __, ...row } = {}] = await rowsOf(table);
    const named = Array.from({ length: ROWS / TABLES.length }, (___, index) => {
      const [name] = NAMES[index % NAMES.length] ?? [];
      return { ...row, name, ...("words" in row && { words: name, sortName: "" }) };
    });
    await backend.inside.mutation(probe.insertMany, { table, rows: named });
  }
  for (const { _id } of await rowsOf("upgrades")) await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });

  await backend.inside.mutation(internal.jobs.upgrade.rows, { table: "designs", cursor: null });
  await backend.inside.mutation(internal.jobs.upgrade.run, {});
  await backend.settle();
  const upgraded = await Promise.all(TABLES.map(rowsOf));
  for (const [index, rows] of upgraded.entries()) {
    const names = rows.map(({ name }) => name);
    for (const [, name] of NAMES) {
      expect(names.filter((each) => each === name).length, `${TABLES[index]}: ${name}`).toBe(ROWS / TABLES.length / NAMES.length);
    }
  }
  const design = upgraded[1]?.find(({ name }) => name === "Café");
  expect(design).toMatchObject({ sortName: sortNameOf("Café"), words: searchWords({ name: "Café" }) });
  expect(await rowsOf("upgrades")).toHaveLength(upgradedTables.length + 2);

  await backend.inside.mutation(internal.jobs.upgrade.run, {});
  await backend.inside.mutation(internal.jobs.upgrade.rows, { table: "projects", cursor: null });
  await backend.settle();
  expect(await Promise.all(TABLES.map(rowsOf))).toEqual(upgraded);
});

it("cleans the names of passkeys", async () => {
  const backend = await convexTestBackend();
  await signUp(backend, "ada");
  const passkey = {
    userId: "ada",
    publicKey: "x",
    counter: 0,
    deviceType: "x",
    backedUp: false,
    transports: null,
    aaguid: null,
    createdAt: null,
  };
  const rows = ["Cafe\u0301", "\u200B", null].map((name, index) => ({ ...passkey, id: `p${index}`, credentialID: `c${index}`, name }));
  await backend.inside.mutation(probe.insertMany, { table: "passkeys", rows });
  await backend.inside.mutation(internal.jobs.upgrade.rows, { table: "passkeys", cursor: null });
  const upgraded = await backend.inside.query(probe.rows, { table: "passkeys" });
  expect(upgraded.map(({ name }) => name)).toEqual(["Café", null, null]);
});

it("removes names of deleted items from the history of an earlier build", { tags: "@forgets-deleted-names-earlier-build" }, async () => {
  const backend = await convexTestBackend();
  const ada = await signUp(backend, "ada");
  const projectId = await ada.mutation(api.projects.create, { name: "Project" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Living" });
  const { id: gone } = await addImage(backend, ada, designId, "image.png");
  const history = async () =>
    (await backend.inside.query(probe.rows, { table: "activities" })).map(({ kind, thing, design, from, to }) => ({
      kind,
      thing,
      design,
      from,
      to,
    }));
  for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades" }))
    await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });
  const recorded = (await backend.inside.query(probe.rows, { table: "activities" })).slice(0, 1);
  const [{ _id: _, _creationTime: __, ...base } = {}] = recorded;
  for (const { _id } of await backend.inside.query(probe.rows, { table: "activities" }))
    await backend.inside.mutation(probe.remove, { table: "activities", id: String(_id) });
  await backend.inside.mutation(probe.remove, { table: "designImages", id: String(gone) });
  const image = { kind: "image", id: gone, name: "Secret" };
  const living = { kind: "design", id: designId, name: "Living" };
  const rows = [
    { ...base, kind: "renamed", thing: image, design: { id: designId, name: "Living" }, from: "Older secret", to: "Secret" },
    { ...base, kind: "moved", thing: living, from: "Secret", to: "Project", toId: projectId },
    { ...base, kind: "duplicated", thing: living, from: "Secret" },
    { ...base, kind: "covered", thing: living, to: "Secret" },
    { ...base, kind: "uploaded", thing: image, design: { id: String(gone), name: "Secret" } },
    { ...base, kind: "renamed", thing: living, from: "Earlier", to: "Living" },
  ];
  await backend.inside.mutation(probe.insertMany, { table: "activities", rows });

  await backend.inside.mutation(internal.jobs.upgrade.run, {});
  await backend.settle();
  const forgotten = { kind: "image", id: "", name: "" };
  expect(await history()).toEqual([
    { kind: "renamed", thing: forgotten, design: { id: designId, name: "Living" }, from: undefined, to: undefined },
    { kind: "moved", thing: living, design: undefined, from: undefined, to: "Project" },
    { kind: "duplicated", thing: living, design: undefined, from: undefined, to: undefined },
    { kind: "covered", thing: living, design: undefined, from: undefined, to: "" },
    { kind: "uploaded", thing: forgotten, design: { id: "", name: "" }, from: undefined, to: undefined },
    { kind: "renamed", thing: living, design: undefined, from: "Earlier", to: "Living" },
  ]);
});

it("cleans user names, descriptions, captions and tags of an earlier build", { tags: "@cleans-user-names-texts-tags" }, async () => {
  const backend = await convexTestBackend();
  const ada = await signUp(backend, "ada");
  const rowsOf = (table: string) => backend.inside.query(probe.rows, { table });
  const patch = (table: string, id: unknown, fields: object) => backend.inside.mutation(probe.patch, { table, id: String(id), fields });
  const projectId = await ada.mutation(api.projects.create, { name: "Project" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Design" });
  const { id } = await addImage(backend, ada, designId, "image.png");
  await ada.mutation(api.tags.tagDesign, { id: designId, tag: "Strasse, plain" });
  await ada.mutation(api.tags.tagImage, { id, tag: "plain, other, spare" });
  for (const { _id } of await rowsOf("upgrades")) await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });

  const [user] = await rowsOf("users");
  await patch("users", user?.["_id"], { name: "Ade\u0301le\u202E" });
  await patch("projects", projectId, { description: "Cafe\u0301\u202Eteria" });
  await patch("designImages", id, { caption: "E\u0301te\u0301", tags: ["plain", "Stra\u00DFe", "strasse", "spa\u200Bre"] });
  const tags = await rowsOf("tags");
  const tagOf = (key: string) => tags.find((tag) => tag["key"] === key)?.["_id"];
  await patch("tags", tagOf("other"), { label: "Stra\u00DFe", key: "stra\u00DFe" });
  await patch("tags", tagOf("spare"), { label: "spa\u200Bre", key: "spa\u200Bre" });

  await backend.inside.mutation(internal.jobs.upgrade.run, {});
  await backend.settle();
  expect((await rowsOf("users"))[0]).toMatchObject({ name: "Ad\u00E9le" });
  expect((await rowsOf("projects"))[0]).toMatchObject({ description: "Caf\u00E9teria" });
  const [image] = await rowsOf("designImages");
  expect(image).toMatchObject({ caption: "\u00C9t\u00E9", tags: ["plain", "Stra\u00DFe", "spare"] });
  const upgraded = await rowsOf("tags");
  expect(upgraded.map(({ key, label, uses }) => ({ key, label, uses }))).toEqual([
    { key: "strasse", label: "Strasse", uses: 2 },
    { key: "plain", label: "plain", uses: 2 },
    { key: "spare", label: "spare", uses: 1 },
  ]);
  const found = await ada.query(api.search.find, { text: "", tag: "STRASSE" });
  expect(found).toMatchObject({ designs: [{ _id: designId }], images: [{ _id: id }] });
  expect((await ada.query(api.search.find, { text: "ete" })).images).toHaveLength(1);
});
