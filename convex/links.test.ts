import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, linkVisitor, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { addMember } from "../tests/convex/shared-project.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const NOT_FOUND = { code: "not_found" };
const ENDED = { code: "unauthenticated" };
const paginationOpts = { cursor: null, numItems: 20 };
const DAY = 24 * 60 * 60 * 1000;

type Options = { downloads?: boolean; expiresAt?: number | null; passwordHash?: string | null; name?: string; key?: string };

describe.each(backends)("public links on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let project: Id<"projects">;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  let beside: Id<"designImages">;
  let otherDesign: Id<"designs">;
  let tokens = 0;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    project = await ada.mutation(api.projects.create, { name: "Shown" });
    design = await ada.mutation(api.designs.create, { projectId: project, name: "Cover" });
    otherDesign = await ada.mutation(api.designs.create, { projectId: project, name: "Other" });
    image = (await addImage(backend, ada, design, "fig")).id;
    beside = (await addImage(backend, ada, design, "dog")).id;
  });

  async function create(itemId: string, options: Options = {}, { sessionId }: Person = ada) {
    const tokenHash = `token ${tokens++}`;
    const settings = { name: "For the client", downloads: false, expiresAt: null, passwordHash: null, sealedToken: "sealed", ...options };
    const id = await server.mutation(api.links.create, { sessionId, itemId, tokenHash, ...settings });
    return { id, tokenHash, visitor: await linkVisitor(backend, id) };
  }
  const change = (linkId: string, changes: Options = {}) => {
    const settings = { name: "For the client", downloads: false, expiresAt: null, ...changes };
    return server.mutation(api.links.change, { sessionId: ada.sessionId, projectId: project, linkId, ...settings });
  };
  const list = async () => (await ada.query(api.links.list, { projectId: project, paginationOpts })).page;
  const find = (tokenHash: string) => server.query(api.links.find, { tokenHash });
  const nameOf = (visitor: Caller) => visitor.query(api.projects.getProjectById, { id: project }).then(({ name }) => name);

  it("show the designs and images of a linked project", async () => {
    const { visitor } = await create(project);
    expect(await visitor.query(api.projects.getProjectById, { id: project })).toMatchObject({ name: "Shown", favourite: false });
    expect((await visitor.query(api.designs.getDesignsByProjectId, { projectId: project })).map(({ name }) => name)).toEqual([
      "Cover",
      "Other",
    ]);
    expect(await visitor.query(api.designImages.getDesignImageInPlace, { id: image })).toMatchObject({ previous: null, next: beside });
  });

  it("show neither the project nor other designs for a linked design", async () => {
    const { visitor } = await create(design);
    expect(await visitor.query(api.designImages.getDesignImagesByDesignId, { designId: design })).toHaveLength(2);
    const refusals = await Promise.all(
      [
        visitor.query(api.projects.getProjectById, { id: project }),
        visitor.query(api.designs.getDesignsByProjectId, { projectId: project }),
        visitor.query(api.designs.getDesignById, { id: otherDesign }),
      ].map(refused),
    );
    for (const refusal of refusals) expect(refusal).toEqual(NOT_FOUND);
  });

  it("show neither the design nor neighbours of a linked image", async () => {
    const { visitor } = await create(image);
    const shown = await visitor.query(api.designImages.getDesignImageInPlace, { id: image });
    expect(shown).toMatchObject({ image: { name: "fig" }, previous: null, next: null });
    const refusals = await Promise.all(
      [
        visitor.query(api.designs.getDesignById, { id: design }),
        visitor.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
        visitor.query(api.designImages.getDesignImageInPlace, { id: beside }),
      ].map(refused),
    );
    for (const refusal of refusals) expect(refusal).toEqual(NOT_FOUND);
  });

  it("show neither tags nor the number of versions", async () => {
    const fields = { tags: ["Rejected"] };
    await backend.inside.mutation(probe.patch, { table: "designs", id: design, fields });
    await backend.inside.mutation(probe.patch, { table: "designImages", id: image, fields });
    await addVersion(backend, ada, image, "again");
    const { visitor } = await create(project);
    const answers = await Promise.all([
      visitor.query(api.designs.getDesignById, { id: design }),
      visitor.query(api.designs.getDesignsByProjectId, { projectId: project }),
      visitor.query(api.designs.listDesigns, { projectId: project, paginationOpts }),
      visitor.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
      visitor.query(api.designImages.listDesignImages, { designId: design, paginationOpts }),
      visitor.query(api.designImages.getDesignImageInPlace, { id: image }),
      visitor.query(api.versions.getImageVersion, { imageId: image }),
    ]);
    expect(JSON.stringify(answers)).not.toContain("Rejected");
    expect(answers[6]).toMatchObject({ number: 1, isCurrent: true });
  });

  it("end while their target is in the trash or in another project", async () => {
    const { visitor, tokenHash } = await create(design);
    const elsewhere = await ada.mutation(api.projects.create, { name: "Elsewhere" });
    await ada.mutation(api.designs.move, { id: design, projectId: elsewhere });
    expect(await find(tokenHash)).toBeNull();
    expect(await refused(visitor.query(api.designs.getDesignById, { id: design }))).toEqual(NOT_FOUND);
    expect(await list()).toMatchObject([{ target: null }]);
    await ada.mutation(api.designs.move, { id: design, projectId: project });
    expect(await find(tokenHash)).toMatchObject({ target: { kind: "design", id: design, name: "Cover" } });
    await ada.mutation(api.projects.moveToTrash, { id: project });
    expect(await find(tokenHash)).toBeNull();
  });

  it("give the current file, and originals only with downloads", async () => {
    const first = (await ada.query(api.designImages.getDesignImageInPlace, { id: image })).image;
    await addVersion(backend, ada, image, "again");
    const [, earlier] = await ada.query(api.versions.getVersions, { imageId: image });
    const file = (linkId: string, options: object = {}) => server.query(api.links.getFile, { linkId, lock: 0, imageId: image, ...options });
    const { id } = await create(image);
    expect((await file(id)).checksum).not.toBe(first.checksum);
    expect(await refused(file(id, { versionId: earlier?._id }))).toEqual(NOT_FOUND);
    expect(await refused(file(id, { original: true }))).toEqual(NOT_FOUND);
    const open = await create(image, { downloads: true });
    expect(await file(open.id, { original: true })).toMatchObject({ name: "fig" });
    expect(await refused(server.query(api.links.getFile, { linkId: open.id, lock: 0, imageId: beside }))).toEqual(NOT_FOUND);
    const { visitor } = open;
    expect(await refused(visitor.query(api.versions.getImageVersion, { imageId: image, versionId: earlier?._id ?? "" }))).toEqual(
      NOT_FOUND,
    );
  });

  it("return archive rows of their target only if downloads are allowed", async () => {
    const rows = (linkId: string, lock = 0) => [
      server.query(api.linkArchive.designs, { linkId, lock, projectId: project, paginationOpts }),
      server.query(api.linkArchive.images, { linkId, lock, designId: design, paginationOpts }),
    ];
    const namesOf = async (pages: ReturnType<typeof rows>) =>
      (await Promise.all(pages)).map(({ page }) => page.map(({ name }) => name).toSorted());
    const { id } = await create(project, { downloads: true });
    await ada.mutation(api.designImages.moveToTrash, { id: beside });
    expect(await namesOf(rows(id))).toEqual([["Cover", "Other"], ["fig"]]);
    const ofDesign = rows((await create(design, { downloads: true })).id);
    expect(await Promise.all([refused(ofDesign[0] ?? Promise.resolve()), namesOf(ofDesign.slice(1))])).toEqual([NOT_FOUND, [["fig"]]]);
    expect(await Promise.all(rows((await create(project)).id).map(refused))).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await Promise.all(rows(id, 1).map(refused))).toEqual([ENDED, ENDED]);
  });

  it("refuse earlier tokens after a new password", async () => {
    const { id, tokenHash, visitor } = await create(project);
    expect(await nameOf(visitor)).toBe("Shown");
    await change(id, { passwordHash: "hash" });
    expect(await refused(nameOf(visitor))).toEqual(ENDED);
    expect(await find(tokenHash)).toMatchObject({ lock: 1, passwordHash: "hash" });
    const unlocked = await linkVisitor(backend, id, 1);
    expect(await nameOf(unlocked)).toBe("Shown");
    await change(id, { name: "Renamed" });
    expect(await nameOf(unlocked)).toBe("Shown");
    expect(await list()).toMatchObject([{ name: "Renamed", hasPassword: true }]);
    await change(id, { passwordHash: null });
    expect(await refused(nameOf(unlocked))).toEqual(ENDED);
  });

  it("refuse a change of settings that another tab has changed", { tags: "@refuses-stale-link-settings" }, async () => {
    const { id } = await create(project);
    const before = { name: "For the client", downloads: false, expiresAt: null, hasPassword: false };
    const settings = { projectId: project, linkId: id, sessionId: ada.sessionId, downloads: false, expiresAt: null, before };
    const changes = ["one", "two"].map((name) => server.mutation(api.links.change, { ...settings, name, passwordHash: name }));
    const answers = await Promise.allSettled(changes);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const kept = answers[0]?.status === "fulfilled" ? "one" : "two";
    expect((await backend.inside.query(probe.rows, { table: "links", field: "_id", value: id }))[0]).toMatchObject({
      name: kept,
      passwordHash: kept,
      lock: 1,
    });
    expect(await refused(server.mutation(api.links.change, { ...settings, name: "three" }))).toMatchObject({ code: "conflict" });
    await change(id, { name: "Of the previous build" });
    expect(await list()).toMatchObject([{ name: "Of the previous build" }]);
  });

  it("end when revoked", async () => {
    const { id, tokenHash, visitor } = await create(project);
    await server.mutation(api.links.noteVisits, { linkId: id, visits: 1 });
    await ada.mutation(api.links.revoke, { projectId: project, linkId: id });
    expect(await refused(nameOf(visitor))).toEqual(ENDED);
    expect(await find(tokenHash)).toBeNull();
    expect(await list()).toEqual([]);
    expect(await backend.inside.query(probe.rows, { table: "linkVisits", field: "linkId", value: id })).toEqual([]);
    expect(await refused(ada.mutation(api.links.revoke, { projectId: project, linkId: id }))).toEqual(NOT_FOUND);
    await server.mutation(api.links.noteVisits, { linkId: id, visits: 1 });
  });

  it("expire at their time, and open again when extended", async () => {
    const { id, tokenHash, visitor } = await create(project, { expiresAt: Date.now() + DAY });
    expect(await nameOf(visitor)).toBe("Shown");
    await backend.inside.mutation(probe.patch, { table: "links", id, fields: { expiresAt: Date.now() - 1 } });
    expect(await refused(nameOf(visitor))).toEqual(ENDED);
    expect(await find(tokenHash)).toBeNull();
    expect(await list()).toMatchObject([{ isExpired: true }]);
    await change(id, { expiresAt: Date.now() + DAY });
    expect(await nameOf(visitor)).toBe("Shown");
  });

  it("refuse a time in the past and an empty name", async () => {
    const { id } = await create(project);
    expect(await refused(change(id, { expiresAt: Date.now() - DAY }))).toMatchObject({ fieldErrors: { expiresOn: [expect.any(String)] } });
    expect(await refused(create(project, { expiresAt: Date.now() - DAY }))).toMatchObject({ code: "invalid" });
    expect(await refused(change(id, { name: " " }))).toMatchObject({ fieldErrors: { name: [expect.any(String)] } });
  });

  it("are listed with creator, target and visits", async () => {
    await create(project);
    const { id } = await create(image, { downloads: true, name: "One image" });
    await server.mutation(api.links.noteVisits, { linkId: id, visits: 1 });
    await server.mutation(api.links.noteVisits, { linkId: id, visits: 1 });
    const target = { kind: "image", id: image, name: "fig" };
    expect(await list()).toMatchObject([
      { name: "One image", target, downloads: true, creator: "ada", visits: 2, lastUsedAt: expect.any(Number), sealedToken: "sealed" },
      { name: "For the client", target: { kind: "project" }, visits: 0, lastUsedAt: null, hasPassword: false, expiresAt: null },
    ]);
  });

  it("are created once for a repeated form", { tags: "@creates-link-once-per-form" }, async () => {
    const first = await create(project, { key: "form" });
    expect((await create(project, { key: "form" })).id).toBe(first.id);
    expect(await list()).toHaveLength(1);
    const other = await create(design, { key: "form" });
    expect(other.id).not.toBe(first.id);
    expect((await create(design, { key: "form" })).id).toBe(other.id);
    await ada.mutation(api.links.revoke, { projectId: project, linkId: first.id });
    expect(await find((await create(project, { key: "form" })).tokenHash)).not.toBeNull();
    expect(await refused(create(project, { key: "x".repeat(65) }))).toMatchObject({ code: "invalid" });
  });

  it("are created by the owner only", async () => {
    const eve = await signUp(backend, "eve");
    await addMember(backend, project, eve, "editor");
    for (const item of [project, design, image]) expect(await refused(create(item, {}, eve))).toEqual(NOT_FOUND);
    expect(await refused(create("nonsense"))).toEqual(NOT_FOUND);
  });

  it("are limited to 60 an hour", async () => {
    const row = { projectId: project, itemId: project, kind: "view", name: "x", lock: 0, downloads: false, sealedToken: "x" };
    const rows = Array.from({ length: 60 }, (_, each) => ({
      ...row,
      tokenHash: `many ${each} ${project}`,
      createdBy: ada.userId,
      createdAt: Date.now(),
    }));
    await backend.inside.mutation(probe.insertMany, { table: "links", rows });
    expect(await refused(create(project))).toMatchObject({ code: "limit" });
  });

  it("are deleted with their project", async () => {
    const { id } = await create(design);
    await server.mutation(api.links.noteVisits, { linkId: id, visits: 1 });
    await save(await signUp(backend, "eve"), id);
    await ada.mutation(api.projects.moveToTrash, { id: project });
    await ada.mutation(api.trash.purge, { id: project });
    await backend.settle();
    for (const [table, field] of [
      ["links", "_id"],
      ["linkVisits", "linkId"],
      ["savedLinks", "linkId"],
    ] as const)
      expect(await backend.inside.query(probe.rows, { table, field, value: id })).toEqual([]);
  });

  const save = ({ sessionId }: Person, linkId: string, lock = 0) => server.mutation(api.links.save, { sessionId, linkId, lock });
  const isSaved = ({ sessionId }: Person, linkId: string, lock = 0) => server.query(api.links.isSaved, { sessionId, linkId, lock });
  const saved = (person: Person) => person.query(api.links.listSaved, {});

  it("are saved once, last saved first, and removed by their person only", async () => {
    const eve = await signUp(backend, "eve");
    const [one, other] = [await create(project), await create(image)];
    await save(eve, one.id);
    await save(eve, other.id);
    await save(eve, one.id);
    const shown = await saved(eve);
    expect(shown).toMatchObject([
      { state: "open", target: { kind: "image", id: image, name: "fig" }, sealedToken: "sealed" },
      { state: "open", target: { kind: "project", id: project, name: "Shown" } },
    ]);
    expect(JSON.stringify(shown)).not.toContain("For the client");
    expect([await isSaved(eve, one.id), await isSaved(ada, one.id)]).toEqual([true, false]);
    const savedId = shown[0]?._id ?? "";
    for (const id of [savedId, one.id, "nonsense"])
      expect(await refused(ada.mutation(api.links.forget, { savedId: id }))).toEqual(NOT_FOUND);
    await eve.mutation(api.links.forget, { savedId });
    expect(await saved(eve)).toMatchObject([{ target: { kind: "project" } }]);
    expect(await find(other.tokenHash)).not.toBeNull();
  });

  it("hide the name in saved entries after a new password, expiry or deletion", async () => {
    const eve = await signUp(backend, "eve");
    const { id } = await create(project, { expiresAt: Date.now() + DAY });
    await save(eve, id);
    await change(id, { passwordHash: "hash", expiresAt: Date.now() + DAY });
    expect(await saved(eve)).toMatchObject([{ state: "passwordChanged", target: null, sealedToken: "sealed" }]);
    expect(await refused(save(eve, id))).toEqual(NOT_FOUND);
    expect(await isSaved(eve, id, 1)).toBe(false);
    await save(eve, id, 1);
    expect(await saved(eve)).toMatchObject([{ state: "open", target: { name: "Shown" } }]);
    await ada.mutation(api.projects.moveToTrash, { id: project });
    expect(await saved(eve)).toMatchObject([{ state: "unavailable", target: null, sealedToken: null }]);
    expect(await refused(save(eve, id, 1))).toEqual(NOT_FOUND);
    await ada.mutation(api.trash.restore, { id: project });
    await backend.inside.mutation(probe.patch, { table: "links", id, fields: { expiresAt: Date.now() - 1 } });
    expect(await saved(eve)).toMatchObject([{ state: "expired", target: null, sealedToken: null }]);
  });

  it("are removed from all saved lists when revoked", async () => {
    const eve = await signUp(backend, "eve");
    const { id } = await create(project);
    await save(eve, id);
    const others = Array.from({ length: 230 }, (_, each) => ({ userId: `saver ${each}`, linkId: id, lock: 0, savedAt: each }));
    await backend.inside.mutation(probe.insertMany, { table: "savedLinks", rows: others });
    await ada.mutation(api.links.revoke, { projectId: project, linkId: id });
    expect((await saved(eve)).filter(({ state }) => state !== "unavailable")).toEqual([]);
    await backend.settle();
    expect(await saved(eve)).toEqual([]);
    expect(await backend.inside.query(probe.rows, { table: "savedLinks", field: "linkId", value: id })).toEqual([]);
  });

  it("are saved by one person up to 200", async () => {
    const eve = await signUp(backend, "eve");
    const { id } = await create(project);
    const gone = await create(project);
    await ada.mutation(api.links.revoke, { projectId: project, linkId: gone.id });
    const rows = Array.from({ length: 200 }, (_, each) => ({ userId: eve.userId, linkId: gone.id, lock: 0, savedAt: each }));
    await backend.inside.mutation(probe.insertMany, { table: "savedLinks", rows });
    expect(await refused(save(eve, id))).toMatchObject({ code: "limit" });
    await eve.mutation(api.links.forget, { savedId: (await saved(eve))[0]?._id ?? "" });
    await save(eve, id);
  });

  it('make "Shared with me" appear once they are saved', async () => {
    const eve = await signUp(backend, "eve");
    const { id } = await create(project);
    expect((await eve.query(api.accounts.mine.getMe, {})).hasShared).toBeUndefined();
    await save(eve, id);
    expect((await eve.query(api.accounts.mine.getMe, {})).hasShared).toBe(true);
  });

  it("are listed and revoked by the operator", async () => {
    const one = await create(image, { name: "One image" });
    const other = await create(project);
    const all = await server.query(api.links.listAll, { paginationOpts: { cursor: null, numItems: 200 } });
    const shown = all.page.find(({ _id }) => _id === one.id);
    expect(shown).toMatchObject({ name: "One image", owner: `${ada.userId}@example.com`, target: { kind: "image", name: "fig" } });
    expect(await server.mutation(api.links.revokeAny, { linkId: "none" })).toBe(0);
    expect(await server.mutation(api.links.revokeAny, { linkId: one.id })).toBe(1);
    expect(await refused(nameOf(one.visitor))).toEqual(ENDED);
    expect(await nameOf(other.visitor)).toBe("Shown");
    while ((await server.mutation(api.links.revokeAny, {})) > 0);
    expect(await refused(nameOf(other.visitor))).toEqual(ENDED);
  });

  it("count password attempts per key, also after Better Auth has deleted old rows", async () => {
    const key = project;
    const limits = [
      { key, most: 2 },
      { key: `${key} all`, most: 100 },
    ];
    const count = (seconds = 900) => server.mutation(api.links.countAttempt, { limits, seconds });
    expect([await count(), await count()]).toEqual([0, 0]);
    for (const row of await backend.inside.query(probe.rows, { table: "rateLimits" }))
      if (Number(row["lastRequest"]) < Date.now())
        await backend.inside.mutation(probe.remove, { table: "rateLimits", id: String(row._id) });
    const wait = await count();
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(900);
    await server.mutation(api.links.countAttempt, { limits, seconds: 900, takeBack: true });
    expect(await count()).toBe(0);
    expect(await count()).toBeGreaterThan(0);
  });

  it("allow attempts again after the window of the limit", async () => {
    const count = () => server.mutation(api.links.countAttempt, { limits: [{ key: design, most: 1 }], seconds: 0 });
    expect([await count(), await count(), await count()]).toEqual([0, 0, 0]);
  });
});
