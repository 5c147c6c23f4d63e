import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { VERSIONS_MAX } from "./model/rules";

describe.each(backends)("versions on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  let imageId: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
    const args = await finalizing("first");
    imageId = await server.mutation(api.uploads.finalize, { ...args, designId, name: "cover.png" });
  });

  const finalizing = async (text: string, more: object = {}) => {
    const content = bytes(`${text} ${randomUUID()}`);
    return {
      sessionId: ada.sessionId,
      uploadId: randomUUID(),
      storageId: await backend.store(content),
      name: `${text}.png`,
      ...properties(content),
      ...more,
    };
  };
  const add = async (text: string, more: object = {}) => {
    const args = { ...(await finalizing(text, more)), imageId };
    return { args, id: await server.mutation(api.versions.finalize, args) };
  };
  const image = async () => (await ada.query(api.designImages.getDesignImagesByDesignId, { designId }))[0];
  const versions = () => ada.query(api.versions.getVersions, { imageId });
  const stored = async (...ids: Id<"_storage">[]) => (await backend.inside.query(probe.filesAmong, { ids })).length;
  const bytesUsed = async () => (await ada.query(api.usage.getUsage, {})).bytes;

  it("rotates the current version, covers and copies without changing the file", { tags: "@rotates-current-version" }, async () => {
    const before = await image();
    const rotate = (direction: "left" | "right") => ada.mutation(api.designImages.rotate, { id: imageId, direction });
    await ada.mutation(api.designs.setCover, { id: designId, imageId });
    await rotate("right");
    const sideways = { rotation: 90, width: before?.height, height: before?.width };
    expect(await image()).toMatchObject({ ...before, ...sideways });
    expect((await ada.query(api.designs.getDesignById, { id: designId })).cover).toMatchObject([{ imageId, ...sideways }]);
    expect((await ada.query(api.projects.getProjectById, { id: projectId })).cover).toMatchObject([{ imageId, ...sideways }]);
    const file = () => server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId });
    expect(await file()).toMatchObject({ checksum: before?.checksum, ...sideways });

    const copy = await ada.mutation(api.designImages.duplicate, { id: imageId });
    expect((await ada.query(api.designImages.getDesignImageInPlace, { id: copy })).image).toMatchObject(sideways);
    await rotate("right");
    expect(await image()).toMatchObject({ rotation: 180, width: before?.width, height: before?.height });

    await add("second", { width: 80, height: 60 });
    expect((await image())?.rotation).toBeUndefined();
    await rotate("left");
    const [second, first] = await versions();
    expect([second?.rotation, second?.width, second?.height]).toEqual([270, 60, 80]);
    expect(first?.rotation).toBe(180);
    await ada.mutation(api.versions.makeCurrent, { imageId, versionId: first?._id ?? "" });
    expect((await image())?.rotation).toBe(180);
  });

  it("lists the original file as the first version after a second upload", async () => {
    expect(await versions()).toEqual([]);
    const { id, args } = await add("second", { width: 80, height: 60 });
    const [newest, first, ...rest] = await versions();
    expect(rest).toEqual([]);
    expect(newest).toMatchObject({
      _id: id,
      number: 2,
      name: "second.png",
      author: "ada",
      isCurrent: true,
      width: 80,
      checksum: args.checksum,
    });
    expect(first).toMatchObject({ number: 1, name: "cover.png", author: "ada", isCurrent: false, width: 40 });
    expect(await image()).toMatchObject({ _id: imageId, name: "cover.png", width: 80, height: 60, checksum: args.checksum, versionId: id });
    const design = await ada.query(api.designs.getDesignById, { id: designId });
    const project = await ada.query(api.projects.getProjectById, { id: projectId });
    expect(design.imageCount).toBe(1);
    for (const { cover } of [design, project]) expect(cover).toMatchObject([{ imageId, width: 80, versionId: id }]);
  });

  it("restores an older version and keeps the newer ones", async () => {
    const before = await image();
    const { id } = await add("second", { details: { camera: "Lumen", hasPlace: true } });
    expect(await ada.query(api.designImages.getDesignImageInPlace, { id: imageId })).toMatchObject({ details: { camera: "Lumen" } });
    const first = (await versions()).at(-1);
    await ada.mutation(api.versions.makeCurrent, { imageId, versionId: first?._id ?? "" });
    expect(await image()).toEqual({ ...before, versionId: first?._id });
    expect(await ada.query(api.designImages.getDesignImageInPlace, { id: imageId })).not.toHaveProperty("details");
    expect((await versions()).map(({ number, isCurrent }) => [number, isCurrent])).toEqual([
      [2, false],
      [1, true],
    ]);
    const third = await add("third");
    expect((await versions()).map(({ number }) => number)).toEqual([3, 2, 1]);
    expect((await image())?.versionId).toBe(third.id);
    expect(await ada.query(api.versions.getImageVersion, { imageId, versionId: id })).toMatchObject({
      image: { _id: imageId, versionId: id },
      number: 2,
      isCurrent: false,
    });
    expect(await ada.query(api.versions.getImageVersion, { imageId })).toMatchObject({ number: 3, isCurrent: true });
  });

  it("creates one version for repeated finalize calls of an upload", async () => {
    const { args, id } = await add("second");
    const again = await backend.store(bytes("x".repeat(args.size)));
    expect(await server.mutation(api.versions.finalize, { ...args, storageId: again })).toBe(id);
    expect(await Promise.all([1, 2].map(() => server.mutation(api.versions.finalize, args)))).toEqual([id, id]);
    expect(await versions()).toHaveLength(2);
    expect(await stored(args.storageId, again)).toBe(1);
  });

  it("rejects a duplicate, a foreign upload, a used file and invalid properties", async () => {
    const { args } = await add("second");
    const other = await server.mutation(api.uploads.finalize, { ...(await finalizing("other")), designId });
    const refusals: [object, string][] = [
      [{ uploadId: randomUUID() }, "conflict"],
      [{ uploadId: randomUUID(), checksum: "0".repeat(64) }, "conflict"],
      [{ uploadId: randomUUID(), checksum: "0".repeat(64), width: 0 }, "invalid"],
      [{ imageId: other }, "conflict"],
    ];
    for (const [change, code] of refusals)
      expect((await refused(server.mutation(api.versions.finalize, { ...args, ...change }))).code, JSON.stringify(change)).toBe(code);
    expect(await versions()).toHaveLength(2);
  });

  it("returns no version of another image or to another user", async () => {
    const { id } = await add("second");
    const other = await server.mutation(api.uploads.finalize, { ...(await finalizing("other")), designId });
    const wrong = { imageId: other, versionId: id };
    expect(await refused(ada.mutation(api.versions.makeCurrent, wrong))).toEqual({ code: "not_found" });
    expect(await refused(ada.query(api.versions.getImageVersion, wrong))).toEqual({ code: "not_found" });
    const { sessionId } = ada;
    expect(await refused(server.query(api.uploads.getFile, { sessionId, ...wrong }))).toEqual({ code: "not_found" });
    const bob = await signUp(backend, "bob");
    expect(await refused(bob.query(api.versions.getVersions, { imageId }))).toEqual({ code: "not_found" });
    expect(await refused(server.query(api.uploads.getFile, { sessionId: bob.sessionId, imageId, versionId: id }))).toEqual({
      code: "not_found",
    });
    const file = () => server.query(api.uploads.getFile, { sessionId, imageId, versionId: id });
    expect(await file()).toMatchObject({ name: "cover.png", designId });
    await add("third");
    expect(await file()).toMatchObject({ name: "second.png", designId });
  });

  it("counts the bytes of every version and frees them with the image", async () => {
    const first = await image();
    const { args } = await add("second");
    await backend.settle();
    expect(await bytesUsed()).toBe((first?.size ?? 0) + args.size);
    const files = [args.storageId, (await add("third")).args.storageId];
    await backend.inside.mutation(internal.jobs.sweep.run, { batch: { cursor: null, from: 0, until: Date.now() + 60_000 } });
    await backend.settle();
    expect(await stored(...files)).toBe(2);
    await backend.inside.mutation(internal.jobs.purge.image, { id: imageId });
    await backend.settle();
    expect(await stored(...files)).toBe(0);
    expect(await bytesUsed()).toBe(0);
  });

  it("records a new version in the project's history", async () => {
    await add("second");
    const entries = await backend.inside.query(probe.rows, { table: "activities" });
    expect(entries).toContainEqual(expect.objectContaining({ projectId, kind: "versioned", to: "Version 2", actorId: ada.userId }));
  });

  it(`accepts at most ${VERSIONS_MAX} versions`, { tags: "slow" }, async () => {
    for (let each = 2; each <= VERSIONS_MAX; each++) await add(String(each));
    expect(await versions()).toHaveLength(VERSIONS_MAX);
    expect(await refused(add("one too many"))).toMatchObject({ code: "limit" });
    await backend.inside.mutation(internal.jobs.purge.design, { id: designId });
    await backend.settle();
    expect((await backend.inside.query(probe.rows, { table: "imageVersions" })).filter((row) => row.imageId === imageId)).toEqual([]);
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);

const properties = (content: Uint8Array) => ({
  contentType: "image/png",
  size: content.length,
  width: 40,
  height: 30,
  checksum: createHash("sha256").update(content).digest("hex"),
  placeholder: null,
  animated: false,
});
