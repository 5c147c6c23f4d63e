import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

describe.each(backends)("uploads on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  });

  const finalizing = async (content: Uint8Array<ArrayBuffer>, fields: object = {}) => ({
    sessionId: ada.sessionId,
    designId,
    uploadId: randomUUID(),
    storageId: await backend.store(content),
    name: "photo.png",
    ...facts(content),
    ...fields,
  });
  const images = () => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  const isStored = async (id: Id<"_storage">) => (await backend.inside.query(probe.filesAmong, { ids: [id] })).length === 1;

  it("gives an address for the bytes of a design that the session may edit", async () => {
    expect(await server.mutation(api.uploads.generateUploadUrl, { sessionId: ada.sessionId, designId })).toMatch(/^https?:\/\//);
  });

  it("makes a stored file an image, shows all of it and no storage id", async () => {
    const args = await finalizing(bytes("one"));
    const id = await server.mutation(api.uploads.finalize, args);
    const expected = {
      _id: id,
      _creationTime: expect.any(Number),
      designId,
      name: "photo.png",
      caption: "",
      ...facts(bytes("one")),
    };
    expect(await images()).toEqual([expected]);
    const { page } = await ada.query(api.designImages.listDesignImages, { designId, paginationOpts: { cursor: null, numItems: 10 } });
    expect(page).toEqual([expected]);
  });

  it("answers the same image when it is told again, and drops a file that came twice", async () => {
    const args = await finalizing(bytes("twice"));
    const id = await server.mutation(api.uploads.finalize, args);
    expect(await server.mutation(api.uploads.finalize, args)).toBe(id);
    const again = await backend.store(bytes("twice"));
    expect(await server.mutation(api.uploads.finalize, { ...args, storageId: again })).toBe(id);
    expect(await images()).toHaveLength(1);
    expect((await ada.query(api.designs.getDesignById, { id: designId })).imageCount).toBe(1);
    expect(await isStored(args.storageId)).toBe(true);
    expect(await isStored(again)).toBe(false);
  });

  it("refuses a picture that the design has, when asked to, and tells which it is; another design may have it", async () => {
    const args = await finalizing(bytes("same"));
    const id = await server.mutation(api.uploads.finalize, args);
    const { sessionId } = ada;
    const { checksum } = facts(bytes("same"));
    const same = { code: "conflict", duplicateOf: { imageId: id, name: "photo.png" } };
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, unlessThere: checksum }))).toEqual(same);
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, unlessThere: checksum }))).toEqual(same);
    expect(await refused(server.mutation(api.uploads.finalize, await finalizing(bytes("same"), { onlyNew: true })))).toEqual(same);
    // Whoever asks again about the very upload that became this image is told so, not that it is there already.
    const { uploadId } = args;
    expect(await server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, unlessThere: checksum, uploadId })).toMatch(/^http/);
    expect(await server.mutation(api.uploads.finalize, { ...args, onlyNew: true })).toBe(id);
    const other = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    await server.mutation(api.uploads.finalize, await finalizing(bytes("same"), { designId: other, onlyNew: true }));
    await server.mutation(api.uploads.finalize, await finalizing(bytes("same")));
    expect(await images()).toHaveLength(2);
    expect(await server.query(api.uploads.expectRoom, { sessionId, designId, unlessThere: "0".repeat(64) })).toBeNull();
  });

  it("makes one of two that are the same and come at the same time, when only new ones are wanted", async () => {
    const both = await Promise.all([1, 2].map(() => finalizing(bytes("twins"), { onlyNew: true })));
    const ends = await Promise.allSettled(both.map((args) => server.mutation(api.uploads.finalize, args)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await images()).toHaveLength(1);
  });

  it("takes no more than the quota allows, and says how much is left", async () => {
    await server.mutation(api.uploads.finalize, await finalizing(bytes("12345"), { quota: 12 }));
    await backend.settle();
    const { sessionId } = ada;
    const full = { code: "limit", left: 7 };
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 8, quota: 12 }))).toEqual(full);
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, bytes: 8, quota: 12 }))).toEqual(full);
    expect(await refused(server.mutation(api.uploads.finalize, await finalizing(bytes("12345678"), { quota: 12 })))).toEqual(full);
    expect(await server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 7, quota: 12 })).toBeNull();
    await server.mutation(api.uploads.finalize, await finalizing(bytes("1234567"), { quota: 12 }));
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 1, quota: 5 }))).toEqual({
      code: "limit",
      left: 0,
    });
  });

  it("makes one image of one upload even when it is told twice at the same time", async () => {
    const args = await finalizing(bytes("at once"));
    const ids = await Promise.all([server.mutation(api.uploads.finalize, args), server.mutation(api.uploads.finalize, args)]);
    expect(ids[0]).toBe(ids[1]);
    expect(await images()).toHaveLength(1);
  });

  it("refuses an upload that went to another design, and a file that belongs to another image", async () => {
    const args = await finalizing(bytes("mine"));
    await server.mutation(api.uploads.finalize, args);
    const other = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    expect((await refused(server.mutation(api.uploads.finalize, { ...args, designId: other }))).code).toBe("conflict");
    expect((await refused(server.mutation(api.uploads.finalize, { ...args, uploadId: randomUUID() }))).code).toBe("conflict");
    expect(await images()).toHaveLength(1);
  });

  it("makes no row without bytes, or with facts that cannot be", async () => {
    const content = bytes("content");
    const args = await finalizing(content);
    const wrong: [string, object][] = [
      ["size", { size: content.length + 1 }],
      ["size", { size: 0 }],
      ["size", { size: 1.5 }],
      ["width", { width: 0 }],
      ["height", { height: -4 }],
      ["checksum", { checksum: "ABC" }],
      ["contentType", { contentType: "text/html" }],
      ["placeholder", { placeholder: "not base64!" }],
      ["uploadId", { uploadId: "" }],
    ];
    for (const [field, fields] of wrong) {
      const { code, fieldErrors } = await refused(server.mutation(api.uploads.finalize, { ...args, ...fields }));
      expect([code, Object.keys(fieldErrors ?? {})]).toEqual(["invalid", [field]]);
    }
    await server.mutation(api.uploads.discard, { storageId: args.storageId });
    expect(await refused(server.mutation(api.uploads.finalize, args))).toEqual({ code: "not_found" });
    expect(await images()).toEqual([]);
  });

  it("gives an image the file's name, made to fit", async () => {
    for (const [name, expected] of [
      ["a.png", "a.png"],
      ["  \n ", "Untitled"],
      ["tab\there.png", "tab here.png"],
      [`${"x".repeat(300)}.jpeg`, `${"x".repeat(194)}….jpeg`],
    ]) {
      const id = await server.mutation(api.uploads.finalize, await finalizing(bytes(randomUUID()), { name }));
      const image = (await images()).find(({ _id }) => _id === id);
      expect(image?.name).toBe(expected);
    }
  });

  it("refuses a design that is gone, and tells it alike", async () => {
    await ada.mutation(api.designs.remove, { id: designId });
    const args = await finalizing(bytes("late"));
    expect(await refused(server.mutation(api.uploads.finalize, args))).toEqual({ code: "not_found" });
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId: ada.sessionId, designId }))).toEqual({
      code: "not_found",
    });
  });

  it("discards a file without a row, keeps one with a row, and does not mind a missing one", async () => {
    const loose = await backend.store(bytes("loose"));
    await server.mutation(api.uploads.discard, { storageId: loose });
    expect(await isStored(loose)).toBe(false);
    await server.mutation(api.uploads.discard, { storageId: loose });

    const args = await finalizing(bytes("kept"));
    await server.mutation(api.uploads.finalize, args);
    await server.mutation(api.uploads.discard, { storageId: args.storageId });
    expect(await isStored(args.storageId)).toBe(true);
  });

  it("tells the app server where an image's bytes are, while the session may see it", async () => {
    const content = bytes("picture");
    const args = await finalizing(content);
    const imageId = await server.mutation(api.uploads.finalize, args);
    const file = await server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId });
    const { contentType, size, width, height, checksum } = facts(content);
    expect(file).toEqual({ storageUrl: expect.any(String), name: "photo.png", designId, contentType, size, width, height, checksum });
    await ada.mutation(api.designImages.remove, { id: imageId });
    expect(await refused(server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId }))).toEqual({ code: "not_found" });
  });

  it("lists images in the order in which they were added, the first 200 and one that tells of more, and the rest by page", async () => {
    const storageId = await backend.store(bytes("shared"));
    await backend.inside.mutation(probe.insertImages, { designId, storageId, from: 0, count: 205 });
    const expected = Array.from({ length: 205 }, (_, each) => `image ${each}`);
    expect((await images()).map(({ name }) => name)).toEqual(expected.slice(0, 201));
    const first = await ada.query(api.designImages.listDesignImages, { designId, paginationOpts: { cursor: null, numItems: 1000 } });
    const rest = await ada.query(api.designImages.listDesignImages, {
      designId,
      paginationOpts: { cursor: first.continueCursor, numItems: 10 },
    });
    expect([...first.page, ...rest.page].map(({ name }) => name)).toEqual(expected);
    expect(first.isDone).toBe(false);
    expect(rest.isDone).toBe(true);
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);

const facts = (content: Uint8Array) => ({
  contentType: "image/png",
  size: content.length,
  width: 40,
  height: 30,
  checksum: createHash("sha256").update(content).digest("hex"),
  placeholder: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
  animated: false,
});
