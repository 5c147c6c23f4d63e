import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, linkVisitor, type Person, probe } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addCommentImage } from "../tests/convex/pictures.ts";
import { rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const NOT_FOUND = { code: "not_found" };
const DAY = 24 * 60 * 60 * 1000;
const { comments } = api;

describe.each(backends)("images in comments on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, design, image } = await shareProject(backend, "commenter"));
  });

  const add = (person: Person, itemId: string = image, quota?: number) =>
    addCommentImage(backend, person, itemId, `${randomUUID()}.png`, quota);
  const begin = (person: Person, imageIds: string[], text = "See", itemId: string = image) =>
    person.mutation(comments.startThread, { itemId, text, key: randomUUID(), imageIds });
  const first = async (person: Person, threadId: string) => (await person.query(comments.getThread, { threadId })).first;
  const shown = async (person: Person, threadId: string) => ((await first(person, threadId)).images ?? []).map(({ _id }) => _id);
  const fileFor = ({ sessionId }: Person, imageId: string) => server.query(api.uploads.getFile, { sessionId, imageId });
  const bytesOf = async (person: Person) => (await person.query(api.usage.getUsage, {})).bytes;
  const isStored = async (id: Id<"_storage">) => (await backend.inside.query(probe.filesAmong, { ids: [id] })).length > 0;

  it("are shown in order, count for the owner, and open with the comments", async () => {
    const before = await bytesOf(ada);
    const [one, two] = [await add(eve), await add(eve)];
    expect(await refused(fileFor(ada, one.id))).toEqual(NOT_FOUND);
    expect(await fileFor(eve, one.id)).toMatchObject({ contentType: "image/png", designId: design });
    const id = await begin(eve, [two.id, one.id], "");
    expect(await first(ada, id)).toMatchObject({ text: "", images: [{ _id: two.id, width: 40, height: 30 }, { _id: one.id }] });
    expect(await fileFor(ada, one.id)).toMatchObject({ size: one.size });
    expect((await bytesOf(ada)) - before).toBe(one.size + two.size);
    expect(await bytesOf(eve)).toBe(0);
    const reply = { threadId: id, text: "", key: randomUUID() };
    expect(await refused(eve.mutation(comments.reply, reply))).toMatchObject({ code: "invalid" });
  });

  it("are refused from other users, for another item, a second time and above ten", async () => {
    const own = await add(eve);
    const onDesign = await add(eve, design);
    await begin(eve, [own.id]);
    const others = [[own.id], [onDesign.id], [(await add(ada)).id], ["none"], Array.from({ length: 11 }, String)];
    for (const ids of others) expect(await refused(begin(eve, ids))).toMatchObject({ code: "invalid" });
  });

  it("need free storage of the owner, and the right to comment", async () => {
    expect(await refused(add(eve, image, 1))).toMatchObject({ code: "limit" });
    const asking = { sessionId: eve.sessionId, itemId: image, bytes: 1000, quota: 999 };
    expect(await refused(server.mutation(api.commentImages.generateUploadUrl, asking))).toMatchObject({ code: "limit" });
    const sent = await add(eve);
    await backend.inside.mutation(probe.insertMany, {
      table: "commentImages",
      rows: Array.from({ length: 49 }, () => unsentRow(eve, sent.storageId)),
    });
    expect(await refused(add(eve))).toMatchObject({ code: "limit" });
  });

  const unsentRow = ({ userId }: Person, storageId: string) => ({
    itemId: image,
    authorId: userId,
    ownerId: ada.userId,
    name: "x",
    contentType: "image/png",
    size: 1,
    width: 1,
    height: 1,
    checksum: "x",
    placeholder: null,
    animated: false,
    storageId,
    uploadId: randomUUID(),
  });

  it("are removed and added by an edit, and deleted with the comment", async () => {
    const before = await bytesOf(ada);
    const [one, two] = [await add(eve), await add(eve)];
    const id = await begin(eve, [one.id]);
    const { _id: commentId } = await first(eve, id);
    await eve.mutation(comments.edit, { commentId, text: "Changed" });
    expect(await shown(ada, id)).toEqual([one.id]);
    await eve.mutation(comments.edit, { commentId, text: "Changed", imageIds: [two.id] });
    expect([await shown(ada, id), await isStored(one.storageId), await isStored(two.storageId)]).toEqual([[two.id], false, true]);
    expect(await refused(fileFor(ada, one.id))).toEqual(NOT_FOUND);
    await ada.mutation(comments.reply, { threadId: id, text: "Stays", key: randomUUID() });
    await eve.mutation(comments.remove, { commentId });
    expect([(await first(ada, id)).isDeleted, await shown(ada, id), await isStored(two.storageId)]).toEqual([true, [], false]);
    expect(await bytesOf(ada)).toBe(before);
  });

  it("are deleted with their thread, their item, and a reply", async () => {
    const [inFirst, inReply, alone] = [await add(eve), await add(eve), await add(ada)];
    const id = await begin(eve, [inFirst.id]);
    const replyId = await eve.mutation(comments.reply, { threadId: id, text: "", key: randomUUID(), imageIds: [inReply.id] });
    await eve.mutation(comments.remove, { commentId: replyId });
    expect(await isStored(inReply.storageId)).toBe(false);
    const other = await begin(ada, [alone.id]);
    await ada.mutation(comments.remove, { commentId: (await first(ada, other))._id });
    await backend.settle();
    expect(await isStored(alone.storageId)).toBe(false);
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    expect(await refused(fileFor(eve, inFirst.id))).toEqual(NOT_FOUND);
    await ada.mutation(api.trash.purge, { id: image });
    await backend.settle();
    expect(await isStored(inFirst.storageId)).toBe(false);
    expect([await bytesOf(ada), (await rowsOf(backend, "commentImages", "itemId", image)).length]).toEqual([0, 0]);
  });

  it("are deleted a day after their upload if they are not sent", async () => {
    const [unsent, sent, removed] = [await add(eve), await add(eve), await add(eve)];
    await begin(eve, [sent.id]);
    for (const { id } of [sent, removed]) await eve.mutation(api.commentImages.remove, { imageId: id });
    await ada.mutation(api.commentImages.remove, { imageId: unsent.id });
    expect(await Promise.all([unsent, sent, removed].map(({ storageId }) => isStored(storageId)))).toEqual([true, true, false]);
    await backend.inside.mutation(internal.jobs.comments.sweepImages, {});
    expect(await isStored(unsent.storageId)).toBe(true);
    await backend.inside.mutation(internal.jobs.comments.sweepImages, { before: Date.now() + DAY });
    expect(await Promise.all([unsent, sent].map(({ storageId }) => isStored(storageId)))).toEqual([false, true]);
  });

  it("count for the new owner after a transfer", async () => {
    const [one, two] = [await add(eve), await add(eve, design)];
    await begin(eve, [one.id]);
    await begin(eve, [two.id], "See", design);
    const before = await bytesOf(ada);
    const { projectId } = await ada.query(api.designs.getDesignById, { id: design });
    await server.mutation(api.transfers.offer, { sessionId: ada.sessionId, projectId, userId: eve.userId });
    const [offer] = await eve.query(api.transfers.listOffered, {});
    await eve.mutation(api.transfers.accept, { transferId: offer?._id ?? "" });
    await backend.settle();
    expect([await bytesOf(ada), await bytesOf(eve)]).toEqual([0, before]);
  });

  async function linkWith(allowed: boolean) {
    const made = { tokenHash: randomUUID(), sealedToken: "sealed", passwordHash: null };
    const settings = { name: "Link", downloads: false, expiresAt: null, comments: allowed };
    const linkId = await server.mutation(api.links.create, { sessionId: ada.sessionId, itemId: image, ...made, ...settings });
    return { linkId, file: (imageId: string) => server.query(api.links.getFile, { linkId, lock: 0, imageId }) };
  }

  it("are visible through a link exactly if its comments are", async () => {
    const { id } = await add(eve);
    await begin(eve, [id]);
    const unsent = await add(eve);
    const { linkId, file } = await linkWith(true);
    expect(await file(id)).toMatchObject({ contentType: "image/png" });
    expect(await refused(file(unsent.id))).toEqual(NOT_FOUND);
    const visitor = await linkVisitor(backend, linkId);
    const listed = { itemId: image, filter: "all" as const, paginationOpts: { cursor: null, numItems: 9 } };
    expect((await visitor.query(comments.listThreads, listed)).page).toMatchObject([{ first: { images: [{ _id: id }] } }]);
    expect(await refused((await linkWith(false)).file(id))).toEqual(NOT_FOUND);
  });

  it("remain in comments of a deleted account, except unsent ones", async () => {
    const [sent, unsent] = [await add(eve), await add(eve)];
    const id = await begin(eve, [sent.id]);
    const where = [equals("id", eve.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect([await shown(ada, id), await isStored(sent.storageId), await isStored(unsent.storageId)]).toEqual([[sent.id], true, false]);
  });
});
