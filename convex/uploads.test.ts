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
    ...properties(content),
    ...fields,
  });
  const images = () => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  const isStored = async (id: Id<"_storage">) => (await backend.inside.query(probe.filesAmong, { ids: [id] })).length === 1;

  it("returns an upload URL for a design that the session may edit", async () => {
    expect(await server.mutation(api.uploads.generateUploadUrl, { sessionId: ada.sessionId, designId })).toMatch(/^https?:\/\//);
  });

  it("turns a stored file into an image without exposing its storage id", async () => {
    const args = await finalizing(bytes("one"));
    const id = await server.mutation(api.uploads.finalize, args);
    const expected = {
      _id: id,
      _creationTime: expect.any(Number),
      designId,
      name: "photo.png",
      caption: "",
      ...properties(bytes("one")),
    };
    expect(await images()).toEqual([expected]);
    const { page } = await ada.query(api.designImages.listDesignImages, { designId, paginationOpts: { cursor: null, numItems: 10 } });
    expect(page).toEqual([expected]);
  });

  it("returns the same image for a repeated finalize and drops the second file", async () => {
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

  it("shares a PDF's file between its pages until the last is deleted", async () => {
    const pages = [1, 2, 3].map((each) => ({ width: 100 * each, height: 200, placeholder: null }));
    const args = await finalizing(bytes("pdf"), { name: "brief.pdf", contentType: "application/pdf", pages, onlyNew: true });
    const id = await server.mutation(api.uploads.finalize, args);
    expect(await server.mutation(api.uploads.finalize, args)).toBe(id);
    const shown = await images();
    expect(shown.map(({ name, width, page }) => ({ name, width, page }))).toEqual([
      { name: "brief (page 1).pdf", width: 100, page: 1 },
      { name: "brief (page 2).pdf", width: 200, page: 2 },
      { name: "brief (page 3).pdf", width: 300, page: 3 },
    ]);
    expect(shown[0]?._id).toBe(id);
    const { sessionId } = ada;
    expect(await server.query(api.uploads.getFile, { sessionId, imageId: shown[1]?._id ?? "" })).toMatchObject({ width: 200, page: 2 });
    const used = async () => (await ada.query(api.usage.getUsage, {})).bytes;
    expect(await used()).toBe(bytes("pdf").length);
    for (const [index, { _id }] of shown.entries()) {
      expect(await isStored(args.storageId)).toBe(true);
      await ada.mutation(api.designImages.moveToTrash, { id: _id });
      await ada.mutation(api.trash.purge, { id: _id });
      await backend.settle();
      expect(await used()).toBe(index === 2 ? 0 : bytes("pdf").length);
    }
    expect(await isStored(args.storageId)).toBe(false);
  });

  it("adds nothing of a PDF with too many pages", async () => {
    const pages = Array.from({ length: 51 }, () => ({ width: 1, height: 1, placeholder: null }));
    const args = await finalizing(bytes("long"), { contentType: "application/pdf", pages });
    expect(await refused(server.mutation(api.uploads.finalize, args))).toMatchObject({ code: "invalid" });
    expect(await images()).toEqual([]);
  });

  it("rejects a duplicate in the same design on request and names it", async () => {
    const args = await finalizing(bytes("same"));
    const id = await server.mutation(api.uploads.finalize, args);
    const { sessionId } = ada;
    const { checksum } = properties(bytes("same"));
    const same = { code: "conflict", duplicateOf: { imageId: id, name: "photo.png" } };
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, unlessThere: checksum }))).toEqual(same);
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, unlessThere: checksum }))).toEqual(same);
    expect(await refused(server.mutation(api.uploads.finalize, await finalizing(bytes("same"), { onlyNew: true })))).toEqual(same);
    const { uploadId } = args;
    expect(await server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, unlessThere: checksum, uploadId })).toMatch(/^http/);
    expect(await server.mutation(api.uploads.finalize, { ...args, onlyNew: true })).toBe(id);
    const other = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    await server.mutation(api.uploads.finalize, await finalizing(bytes("same"), { designId: other, onlyNew: true }));
    await server.mutation(api.uploads.finalize, await finalizing(bytes("same")));
    expect(await images()).toHaveLength(2);
    expect(await server.query(api.uploads.expectRoom, { sessionId, designId, unlessThere: "0".repeat(64) })).toBeNull();
  });

  it("stores one of two identical concurrent uploads with onlyNew", async () => {
    const both = await Promise.all([1, 2].map(() => finalizing(bytes("twins"), { onlyNew: true })));
    const ends = await Promise.allSettled(both.map((args) => server.mutation(api.uploads.finalize, args)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await images()).toHaveLength(1);
  });

  it("rejects uploads beyond the quota and returns the remaining bytes", async () => {
    await server.mutation(api.uploads.finalize, await finalizing(bytes("12345"), { quota: 12 }));
    await backend.settle();
    const { sessionId } = ada;
    const full = { code: "limit", left: 7, quota: 12 };
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 8, quota: 12 }))).toEqual(full);
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId, designId, bytes: 8, quota: 12 }))).toEqual(full);
    expect(await refused(server.mutation(api.uploads.finalize, await finalizing(bytes("12345678"), { quota: 12 })))).toEqual(full);
    expect(await server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 7, quota: 12 })).toBeNull();
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, bytes: 8, quota: 12 }))).toEqual(full);
    expect(await server.query(api.uploads.expectRoom, { sessionId, bytes: 7, quota: 12 })).toBeNull();
    await server.mutation(api.uploads.finalize, await finalizing(bytes("1234567"), { quota: 12 }));
    expect(await refused(server.query(api.uploads.expectRoom, { sessionId, designId, bytes: 1, quota: 5 }))).toEqual({
      code: "limit",
      left: 0,
      quota: 5,
    });
  });

  it("stores one of two concurrent uploads that exceed the quota together", { tags: "@concurrent-quota" }, async () => {
    const usage = async () => (await backend.inside.query(probe.rows, { table: "usage", field: "ownerId", value: ada.userId }))[0];
    await server.mutation(api.uploads.finalize, await finalizing(bytes("12345")));
    await backend.settle();
    const both = await Promise.all(["123456", "abcdef"].map((text) => finalizing(bytes(text), { quota: 16 })));
    const ends = await Promise.allSettled(both.map((args) => server.mutation(api.uploads.finalize, args)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await usage()).toMatchObject({ bytes: 11 });
    const id = String((await usage())?.["_id"]);
    await backend.inside.mutation(probe.patch, { table: "usage", id, fields: { bytes: 0, counting: 1 } });
    expect(await refused(server.mutation(api.uploads.finalize, await finalizing(bytes("123456"), { quota: 16 })))).toEqual({
      code: "limit",
      left: 5,
      quota: 16,
    });
  });

  it("creates one image for concurrent finalize calls", async () => {
    const args = await finalizing(bytes("at once"));
    const ids = await Promise.all([server.mutation(api.uploads.finalize, args), server.mutation(api.uploads.finalize, args)]);
    expect(ids[0]).toBe(ids[1]);
    expect(await images()).toHaveLength(1);
  });

  const fileOf = async (content: string, fields: object = {}) => {
    const { sessionId: _, designId: __, ...file } = await finalizing(bytes(content), fields);
    return file;
  };

  it("adds several files in the order chosen, once for a repeated call", async () => {
    const { sessionId } = ada;
    const batch = randomUUID();
    const later = await fileOf("four", { name: "4.png", chosenAs: { batch, index: 3 } });
    await server.mutation(api.uploads.finalizeMany, { sessionId, designId, files: [later] });
    const numbers = ["one", "two", "three"];
    const files = await Promise.all(
      numbers.map((text, index) => fileOf(text, { name: `${index + 1}.png`, onlyNew: true, chosenAs: { batch, index } })),
    );
    const ids = await server.mutation(api.uploads.finalizeMany, { sessionId, designId, files });
    expect(await server.mutation(api.uploads.finalizeMany, { sessionId, designId, files })).toEqual(ids);
    expect((await images()).map(({ name }) => name)).toEqual(["1.png", "2.png", "3.png", "4.png"]);
    expect((await ada.query(api.designs.getDesignById, { id: designId })).imageCount).toBe(4);
    const { page } = await ada.query(api.activities.list, { projectId, paginationOpts: { cursor: null, numItems: 10 } });
    expect(page.find(({ kind }) => kind === "uploaded")?.count).toBe(4);
  });

  it("adds none of several files when one is a duplicate or exceeds the quota", async () => {
    const { sessionId } = ada;
    await server.mutation(api.uploads.finalize, await finalizing(bytes("same")));
    await backend.settle();
    const files = await Promise.all(["new", "same"].map((text) => fileOf(text, { onlyNew: true })));
    const all = { sessionId, designId, files };
    expect((await refused(server.mutation(api.uploads.finalizeMany, all))).duplicateOf?.name).toBe("photo.png");
    const announced = files.map(({ uploadId, size, checksum }) => ({ uploadId, bytes: size, unlessThere: checksum }));
    const reservation = { sessionId, designId, reserved: 0, files: announced };
    expect((await refused(server.mutation(api.uploads.generateUploadUrls, reservation))).duplicateOf?.name).toBe("photo.png");
    const twice = await Promise.all([1, 2].map(() => fileOf("twins", { onlyNew: true })));
    expect((await refused(server.mutation(api.uploads.finalizeMany, { sessionId, designId, files: twice }))).code).toBe("conflict");

    const three = await Promise.all(["123", "456", "789"].map((text) => fileOf(text)));
    const full = { code: "limit", left: 8, quota: 12 };
    expect(await refused(server.mutation(api.uploads.finalizeMany, { sessionId, designId, quota: 12, files: three }))).toEqual(full);
    const sizes = three.map(({ uploadId, size }) => ({ uploadId, bytes: size }));
    const asking = { sessionId, designId, quota: 12, reserved: 0 };
    expect(await refused(server.mutation(api.uploads.generateUploadUrls, { ...asking, files: sizes }))).toEqual(full);
    expect(await server.mutation(api.uploads.generateUploadUrls, { ...asking, files: sizes.slice(1) })).toEqual([
      expect.stringMatching(/^http/),
      expect.stringMatching(/^http/),
    ]);
    expect(await images()).toHaveLength(1);
  });

  it("rejects an upload of another design and a file of another image", async () => {
    const args = await finalizing(bytes("mine"));
    await server.mutation(api.uploads.finalize, args);
    const other = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    expect((await refused(server.mutation(api.uploads.finalize, { ...args, designId: other }))).code).toBe("conflict");
    expect((await refused(server.mutation(api.uploads.finalize, { ...args, uploadId: randomUUID() }))).code).toBe("conflict");
    expect(await images()).toHaveLength(1);
  });

  it("rejects a missing file and invalid properties", async () => {
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

  it("derives a valid image name from the file name", async () => {
    for (const [name, expected] of [
      ["a.png", "a.png"],
      ["  \n ", "Untitled"],
      ["\u200B.png", "Untitled.png"],
      ["tab\there.png", "tab here.png"],
      [`${"x".repeat(300)}.jpeg`, `${"x".repeat(194)}….jpeg`],
    ]) {
      const id = await server.mutation(api.uploads.finalize, await finalizing(bytes(randomUUID()), { name }));
      const image = (await images()).find(({ _id }) => _id === id);
      expect(image?.name).toBe(expected);
    }
  });

  it("rejects a removed design like a missing one", async () => {
    await ada.mutation(api.designs.remove, { id: designId });
    const args = await finalizing(bytes("late"));
    expect(await refused(server.mutation(api.uploads.finalize, args))).toEqual({ code: "not_found" });
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, { sessionId: ada.sessionId, designId }))).toEqual({
      code: "not_found",
    });
  });

  it("discards only files without a row and ignores missing ones", async () => {
    const loose = await backend.store(bytes("loose"));
    await server.mutation(api.uploads.discard, { storageId: loose });
    expect(await isStored(loose)).toBe(false);
    await server.mutation(api.uploads.discard, { storageId: loose });

    const args = await finalizing(bytes("kept"));
    await server.mutation(api.uploads.finalize, args);
    await server.mutation(api.uploads.discard, { storageId: args.storageId });
    expect(await isStored(args.storageId)).toBe(true);
  });

  it("returns the storage URL only while the session may view the image", async () => {
    const content = bytes("picture");
    const args = await finalizing(content);
    const imageId = await server.mutation(api.uploads.finalize, args);
    const file = await server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId });
    const { contentType, size, width, height, checksum } = properties(content);
    const facts = { storageUrl: expect.any(String), name: "photo.png", designId, contentType, size, width, height, checksum };
    expect(file).toEqual({ ...facts, rows: expect.arrayContaining([imageId, designId]), accessEndsAt: expect.any(Number) });
    await ada.mutation(api.designImages.remove, { id: imageId });
    expect(await refused(server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId }))).toEqual({ code: "not_found" });
  });

  it("lists at most 201 images in upload order, and all images by page", async () => {
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

const properties = (content: Uint8Array) => ({
  contentType: "image/png",
  size: content.length,
  width: 40,
  height: 30,
  checksum: createHash("sha256").update(content).digest("hex"),
  placeholder: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
  animated: false,
});
