import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, linkVisitor, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import type { MemberRole } from "./model/rights";

const NONE = { inReview: 0, changesRequested: 0, approved: 0 };
const paginationOpts = { cursor: null, numItems: 20 };

describe.each(backends)("reviews on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  let imageId: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
    imageId = (await addImage(backend, ada, designId, "front.png")).id;
  });

  async function member(name: string, role: MemberRole): Promise<Person> {
    const person = await signUp(backend, name);
    const row = { projectId, userId: person.userId, role, addedAt: Date.now(), addedBy: ada.userId };
    await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
    return person;
  }

  type Status = "none" | "inReview" | "changesRequested" | "approved";
  const set = (id: string, status: Status, more: { note?: string; step?: string; versionId?: string } = {}, person = ada) =>
    person.mutation(api.reviews.setStatus, { id, status, note: "", ...more });
  const ofImage = async (id: string = imageId) => (await ada.query(api.designImages.getDesignImageInPlace, { id })).image.review?.status;
  const ofDesign = async (id: string = designId) => (await ada.query(api.designs.getDesignById, { id })).review?.status;
  const countsIn = async (id: string = projectId) => (await ada.query(api.projects.getProjectById, { id })).reviews;
  const countsOf = async (id: string = designId) => (await ada.query(api.designs.getDesignById, { id })).imageReviews;
  const undo = (step: string, person = ada) => person.mutation(api.undo.revert, { step });
  const noticesOf = async (person: Person) =>
    (await person.query(api.notices.list, {})).map(({ notice, about }) => ({ kind: notice.kind, item: about?.item, note: about?.note }));

  it("stores who set a status, when, for which version and with which note", async () => {
    const com = await member("com", "commenter");
    const before = Date.now();
    await set(imageId, "changesRequested", { note: " Larger title. " }, com);
    const review = await ada.query(api.reviews.getReview, { id: imageId });
    expect(review).toMatchObject({ status: "changesRequested", note: "Larger title.", version: 1, isCurrent: true });
    expect(review?.by).toEqual({ name: expect.stringContaining("com"), isMe: false });
    expect(review?.at).toBeGreaterThanOrEqual(before - 5);
    expect(await ada.query(api.reviews.getReview, { id: designId })).toBeNull();
  });

  it("refuses a note of more than 1,000 characters", async () => {
    await set(imageId, "approved", { note: "x".repeat(1000) });
    expect(await refused(set(imageId, "approved", { note: "x".repeat(1001) }))).toMatchObject({ code: "invalid" });
  });

  it("lets commenters answer, but only editors set other statuses", async () => {
    const com = await member("com", "commenter");
    await set(imageId, "approved", {}, com);
    for (const status of ["none", "inReview"] as const) expect(await refused(set(imageId, status, {}, com))).toEqual({ code: "not_found" });
    expect(await refused(com.mutation(api.many.reviewImages, { ids: [imageId], status: "none" }))).toEqual({ code: "not_found" });
    expect(await ofImage()).toBe("approved");
  });

  it("lets commenters undo their own answer", async () => {
    const com = await member("com", "commenter");
    await set(imageId, "inReview");
    await set(imageId, "approved", { step: "mine" }, com);
    await undo("mine", com);
    expect(await ofImage()).toBe("inReview");
    await undo("mine", com);
    expect(await ofImage()).toBe("approved");
  });

  it("refuses to undo a status that someone else changed since", async () => {
    await set(imageId, "inReview", { step: "a" });
    await set(imageId, "approved");
    expect(await refused(undo("a"))).toMatchObject({ code: "conflict" });
  });

  it("keeps the later of two statuses and records both in the history", async () => {
    const ed = await member("ed", "editor");
    await set(imageId, "approved", {}, ed);
    await set(imageId, "changesRequested");
    const { page } = await ada.query(api.activities.list, { projectId, paginationOpts });
    expect(page.slice(0, 2)).toMatchObject([
      { kind: "tagged", to: "Changes requested", review: { from: "approved", to: "changesRequested" } },
      { kind: "tagged", to: "Approved", review: { from: "none", to: "approved" } },
    ]);
  });

  it("refuses an approval of a version that is no longer shown", async () => {
    const { id: versionId } = await addVersion(backend, ada, imageId, "second.png");
    expect(await refused(set(imageId, "approved", { versionId: "" }))).toMatchObject({ code: "conflict" });
    await set(imageId, "approved", { versionId });
    expect(await ada.query(api.reviews.getReview, { id: imageId })).toMatchObject({ version: 2 });
  });

  it("resets an approval of the image and its design when a new version arrives", async () => {
    await set(imageId, "approved");
    await set(designId, "approved");
    await addVersion(backend, ada, imageId, "second.png");
    expect([await ofImage(), await ofDesign()]).toEqual(["inReview", "inReview"]);
    expect(await countsIn()).toEqual({ designs: { ...NONE, inReview: 1 }, images: { ...NONE, inReview: 1 } });
    await set(imageId, "changesRequested");
    await addVersion(backend, ada, imageId, "third.png");
    expect(await ofImage()).toBe("changesRequested");
    expect(await ada.query(api.reviews.getReview, { id: imageId })).toMatchObject({ version: 2, isCurrent: false });
  });

  it("does not restore an approval of an earlier version by undo", async () => {
    await set(imageId, "approved");
    await set(imageId, "changesRequested", { step: "a" });
    await addVersion(backend, ada, imageId, "second.png");
    await undo("a");
    expect(await ofImage()).toBe("inReview");
  });

  it("counts statuses through moves, trash, restore and copies", async () => {
    const second = (await addImage(backend, ada, designId, "back.png")).id;
    await ada.mutation(api.many.reviewImages, { ids: [imageId, second], status: "approved" });
    await set(designId, "inReview");
    const full = { designs: { ...NONE, inReview: 1 }, images: { ...NONE, approved: 2 } };
    expect([await countsIn(), await countsOf()]).toEqual([full, { ...NONE, approved: 2 }]);

    await ada.mutation(api.designImages.moveToTrash, { id: second });
    expect(await countsOf()).toEqual({ ...NONE, approved: 1 });
    await ada.mutation(api.trash.restore, { id: second });
    await ada.mutation(api.many.trashImages, { ids: [imageId, second], step: "trash" });
    expect(await countsIn()).toEqual({ designs: { ...NONE, inReview: 1 }, images: NONE });
    await undo("trash");
    expect(await countsIn()).toEqual(full);

    const other = await ada.mutation(api.designs.create, { projectId, name: "Other" });
    await ada.mutation(api.designImages.move, { ids: [second], designId: other });
    expect([await countsOf(), await countsOf(other)]).toEqual([
      { ...NONE, approved: 1 },
      { ...NONE, approved: 1 },
    ]);
    expect(await countsIn()).toEqual(full);

    const elsewhere = await ada.mutation(api.projects.create, { name: "Elsewhere" });
    await ada.mutation(api.designs.move, { id: designId, projectId: elsewhere });
    expect(await countsIn()).toEqual({ designs: NONE, images: { ...NONE, approved: 1 } });
    expect(await countsIn(elsewhere)).toEqual({ designs: { ...NONE, inReview: 1 }, images: { ...NONE, approved: 1 } });
    await ada.mutation(api.many.moveDesigns, { ids: [designId], projectId });
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    await ada.mutation(api.trash.restore, { id: designId });
    await ada.mutation(api.many.trashDesigns, { ids: [designId] });
    await ada.mutation(api.many.restore, { ids: [designId] });
    expect(await countsIn()).toEqual(full);

    const copy = await ada.mutation(api.designs.duplicate, { id: designId });
    const copied = await ada.mutation(api.designImages.duplicate, { id: imageId });
    await backend.settle();
    expect([await ofDesign(copy), await countsOf(copy), await ofImage(copied)]).toEqual([undefined, undefined, undefined]);
    expect(await countsIn()).toEqual(full);
  });

  it("lists the items of one status or of none", async () => {
    const second = (await addImage(backend, ada, designId, "back.png")).id;
    const other = await ada.mutation(api.designs.create, { projectId, name: "Other" });
    await set(imageId, "approved");
    await set(designId, "changesRequested");
    const imagesWith = async (review: Status) =>
      (await ada.query(api.designImages.getDesignImagesByDesignId, { designId, review })).map(({ _id }) => _id);
    const designsWith = async (review: Status) =>
      (await ada.query(api.designs.getDesignsByProjectId, { projectId, review })).map(({ _id }) => _id);
    expect([await imagesWith("approved"), await imagesWith("none"), await imagesWith("inReview")]).toEqual([[imageId], [second], []]);
    expect([await designsWith("changesRequested"), await designsWith("none")]).toEqual([[designId], [other]]);
    const { page } = await ada.query(api.designImages.listDesignImages, { designId, review: "none", paginationOpts });
    expect(page.map(({ _id }) => _id)).toEqual([second]);
    const ofDesigns = await ada.query(api.designs.listDesigns, { projectId, review: "none", paginationOpts });
    expect(ofDesigns.page.map(({ _id }) => _id)).toEqual([other]);
  });

  it("pages through the images of one status in a project, with many designs", async () => {
    const expected = new Set<string>();
    for (let each = 0; each < 43; each++) {
      const id = await ada.mutation(api.designs.create, { projectId, name: `Design ${each}` });
      const image = (await addImage(backend, ada, id, `${each}.png`)).id;
      await set(image, each % 3 === 0 ? "approved" : "inReview");
      if (each % 3 === 0) expected.add(image);
    }
    const found: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 20; pages++) {
      const args = { projectId, review: "approved" as const, paginationOpts: { cursor, numItems: 4 } };
      const { page, isDone, continueCursor }: Awaited<ReturnType<typeof ofWall>> = await ofWall(args);
      found.push(...page.flatMap(({ images }) => images.map(({ _id }) => _id)));
      cursor = continueCursor;
      if (isDone) break;
    }
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });
  const ofWall = (args: { projectId: string; review: "approved"; paginationOpts: { cursor: string | null; numItems: number } }) =>
    ada.query(api.wall.listProjectImages, args);

  it("sets the status of all selected items of a filtered list, and undoes it", async () => {
    const images = [
      imageId,
      ...(await Promise.all(["a", "b", "c"].map(async (name) => (await addImage(backend, ada, designId, name)).id))),
    ];
    await ada.mutation(api.many.reviewImages, { ids: images.slice(0, 2), status: "inReview" });
    const place = { kind: "design" as const, id: designId, review: "inReview" as const };
    const action = { type: "review" as const, status: "approved" as const };
    const start = { kind: "image" as const, action, place, ids: [images[1] ?? ""], step: "bulk" };
    await ada.mutation(api.bulk.start, start);
    await backend.settle();
    expect(await countsOf()).toEqual({ ...NONE, inReview: 1, approved: 1 });
    expect(await ofImage(images[0])).toBe("approved");
    await undo("bulk");
    await backend.settle();
    expect(await countsOf()).toEqual({ ...NONE, inReview: 2 });
    const whole = { ...place, review: "none" as const };
    await ada.mutation(api.bulk.start, { ...start, place: whole, ids: [], step: "rest" });
    await backend.settle();
    expect(await countsOf()).toEqual({ ...NONE, inReview: 2, approved: 2 });
  });

  it("keeps the author and note of items that have the status, in bulk", async () => {
    const com = await member("com", "commenter");
    await set(imageId, "approved", { note: "Fine." }, com);
    await ada.mutation(api.many.reviewImages, { ids: [imageId], status: "approved" });
    expect(await ada.query(api.reviews.getReview, { id: imageId })).toMatchObject({ note: "Fine.", by: { isMe: false } });
  });

  it("requests a review and notifies both people", async () => {
    const com = await member("com", "commenter");
    const dueOn = new Date(Date.now() + 864e5).toISOString().slice(0, 10);
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId], dueOn, note: "Please check the title." });
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId], dueOn, note: "Please check." });
    expect(await ofImage()).toBe("inReview");
    expect(await noticesOf(com)).toEqual([{ kind: "reviewRequested", item: "front.png", note: "Please check." }]);
    expect(await com.query(api.notices.getNotices, {})).toEqual([]);
    const { requests } = await com.query(api.reviews.getOverview, { projectId });
    expect(requests).toMatchObject([{ reviewer: { isMe: true }, dueOn, item: { designId, imageId, name: "front.png" } }]);

    await set(imageId, "approved", {}, com);
    expect((await com.query(api.reviews.getOverview, { projectId })).requests).toEqual([]);
    expect(await noticesOf(ada)).toEqual([{ kind: "reviewGiven", item: "front.png", note: undefined }]);
    expect(await noticesOf(com)).toEqual([{ kind: "reviewRequested", item: "front.png", note: undefined }]);
  });

  it("names no item in a notice to someone who lost access", async () => {
    const com = await member("com", "commenter");
    await ada.mutation(api.reviews.request, { id: designId, userIds: [com.userId], dueOn: "", note: "Secret." });
    await com.mutation(api.members.leave, { projectId });
    expect(await noticesOf(com)).toEqual([{ kind: "reviewRequested", item: undefined, note: undefined }]);
  });

  it("sends one notice for a bulk answer", async () => {
    const com = await member("com", "commenter");
    const second = (await addImage(backend, ada, designId, "back.png")).id;
    for (const id of [imageId, second]) await ada.mutation(api.reviews.request, { id, userIds: [com.userId], dueOn: "", note: "" });
    await com.mutation(api.many.reviewImages, { ids: [imageId, second], status: "approved" });
    const [notice, ...others] = await ada.query(api.notices.list, {});
    expect([notice?.notice, others]).toMatchObject([{ kind: "reviewGiven", count: 2, status: "approved" }, []]);
  });

  it("reopens a request when its answer is undone, and closes it on redo", async () => {
    const com = await member("com", "commenter");
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId], dueOn: "", note: "Please" });
    const open = async () => (await ada.query(api.reviews.getReview, { id: imageId }))?.requests.map(({ note }) => note);
    await set(imageId, "approved", { step: "answer" }, com);
    expect(await open()).toEqual([]);
    await undo("answer", com);
    expect([await ofImage(), await open()]).toEqual(["inReview", ["Please"]]);
    await undo("answer", com);
    expect([await ofImage(), await open()]).toEqual(["approved", []]);
    await undo("answer", com);
    expect(await open()).toEqual(["Please"]);
  });

  it("reopens requests of a removed status, except to former reviewers", async () => {
    const [com, former] = [await member("com", "commenter"), await member("former", "commenter")];
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId, former.userId], dueOn: "", note: "" });
    await set(imageId, "none", { step: "none" });
    await ada.mutation(api.members.setRole, { projectId, userId: former.userId, role: "viewer" });
    await undo("none");
    expect((await ada.query(api.reviews.getReview, { id: imageId }))?.requests).toMatchObject([{ reviewer: { name: "com" } }]);
  });

  it("sets a status with a note on several items, whose job does not keep the note", async () => {
    const second = (await addImage(backend, ada, designId, "back.png")).id;
    const noteOf = async (id: string) => (await ada.query(api.reviews.getReview, { id }))?.note;
    await ada.mutation(api.many.reviewImages, { ids: [imageId, second], status: "approved", note: " Good " });
    expect([await noteOf(imageId), await noteOf(second)]).toEqual(["Good", "Good"]);
    await ada.mutation(api.many.reviewImages, { ids: [imageId], status: "approved", note: "" });
    expect(await noteOf(imageId)).toBe("Good");
    const action = { type: "review" as const, status: "changesRequested" as const, note: "Larger" };
    const place = { kind: "design" as const, id: designId };
    await ada.mutation(api.bulk.start, { kind: "image", action, place, ids: [], step: "noted" });
    await backend.settle();
    expect([await noteOf(imageId), await noteOf(second)]).toEqual(["Larger", "Larger"]);
    expect((await backend.inside.query(probe.rows, { table: "bulkJobs", field: "userId", value: ada.userId }))[0]?.["action"]).toEqual({
      type: "review",
      status: "changesRequested",
    });
    const long = ada.mutation(api.many.reviewImages, { ids: [imageId], status: "approved", note: "x".repeat(1001) });
    expect(await refused(long)).toMatchObject({ code: "invalid" });
  });

  it("refuses requests to people who may not review, and dates in the past", async () => {
    const [viewer, stranger] = [await member("vi", "viewer"), await signUp(backend, "eve")];
    const requestReview = (userIds: string[], dueOn = "") => ada.mutation(api.reviews.request, { id: imageId, userIds, dueOn, note: "" });
    for (const userIds of [[viewer.userId], [stranger.userId], [ada.userId], ["nobody"], []])
      expect(await refused(requestReview(userIds))).toMatchObject({ code: "invalid" });
    const row = { projectId, role: "viewer", addedAt: Date.now(), addedBy: ada.userId };
    const rows = Array.from({ length: 201 }, (_, n) => ({ ...row, userId: `viewer${n}` }));
    await backend.inside.mutation(probe.insertMany, { table: "projectMembers", rows });
    const com = await member("com", "commenter");
    for (const dueOn of ["2020-01-01", "tomorrow", "2026-13-01"])
      expect(await refused(requestReview([com.userId], dueOn))).toMatchObject({ code: "invalid" });
    expect(await ofImage()).toBeUndefined();
    expect((await ada.query(api.reviews.getReviewers, { id: imageId })).people.map(({ userId }) => userId)).toEqual([com.userId]);
  });

  it("ends requests with the status, by cancelling and with the item", async () => {
    const com = await member("com", "commenter");
    const requestReview = (id: string) => ada.mutation(api.reviews.request, { id, userIds: [com.userId], dueOn: "", note: "" });
    const rows = async () =>
      (await backend.inside.query(probe.rows, { table: "reviewRequests", field: "projectId", value: projectId })).length;
    await requestReview(imageId);
    await set(imageId, "none");
    expect(await rows()).toBe(0);
    await requestReview(imageId);
    const requestId = (await ada.query(api.reviews.getReview, { id: imageId }))?.requests[0]?._id ?? "";
    await ada.mutation(api.reviews.cancelRequest, { id: designId, requestId });
    expect(await rows()).toBe(1);
    await ada.mutation(api.reviews.cancelRequest, { id: imageId, requestId });
    expect(await rows()).toBe(0);
    await requestReview(imageId);
    await requestReview(designId);
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    expect((await com.query(api.reviews.getOverview, { projectId })).requests).toEqual([]);
    await ada.mutation(api.trash.purge, { id: designId });
    await backend.settle();
    expect(await rows()).toBe(0);
  });

  it.each(["leaving", "removal", "a lower role"] as const)("ends requests to someone by %s", async (how) => {
    const com = await member("com", "commenter");
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId], dueOn: "", note: "" });
    const { userId } = com;
    if (how === "leaving") await com.mutation(api.members.leave, { projectId });
    else if (how === "removal") await ada.mutation(api.members.remove, { projectId, userId });
    else await ada.mutation(api.members.setRole, { projectId, userId, role: "viewer" });
    expect((await ada.query(api.reviews.getOverview, { projectId })).requests).toEqual([]);
  });

  it("moves requests with their items", async () => {
    const com = await member("com", "commenter");
    await ada.mutation(api.reviews.request, { id: imageId, userIds: [com.userId], dueOn: "", note: "" });
    const elsewhere = await ada.mutation(api.projects.create, { name: "Elsewhere" });
    const requestsIn = async (id: string) => (await ada.query(api.reviews.getOverview, { projectId: id })).requests.length;
    await ada.mutation(api.designs.move, { id: designId, projectId: elsewhere });
    expect([await requestsIn(projectId), await requestsIn(elsewhere)]).toEqual([0, 1]);
    const target = await ada.mutation(api.designs.create, { projectId, name: "Target" });
    await ada.mutation(api.designImages.move, { ids: [imageId], designId: target });
    expect([await requestsIn(projectId), await requestsIn(elsewhere)]).toEqual([1, 0]);
  });

  it("moves requests with items that are restored to another place", async () => {
    const com = await member("com", "commenter");
    const requestReview = (id: string) => ada.mutation(api.reviews.request, { id, userIds: [com.userId], dueOn: "", note: "" });
    const elsewhere = await ada.mutation(api.projects.create, { name: "Elsewhere" });
    const target = await ada.mutation(api.designs.create, { projectId: elsewhere, name: "Target" });
    const requestsIn = async (id: string) => (await ada.query(api.reviews.getOverview, { projectId: id })).requests.length;
    await requestReview(imageId);
    await ada.mutation(api.designImages.moveToTrash, { id: imageId });
    await ada.mutation(api.trash.restore, { id: imageId, into: target });
    expect([await requestsIn(projectId), await requestsIn(elsewhere)]).toEqual([0, 1]);
    await requestReview(designId);
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    await ada.mutation(api.trash.restore, { id: designId, into: elsewhere });
    expect([await requestsIn(projectId), await requestsIn(elsewhere)]).toEqual([0, 2]);
    expect(await countsIn(elsewhere)).toEqual({ designs: { ...NONE, inReview: 1 }, images: { ...NONE, inReview: 1 } });
  });

  it("shows a review by a deleted account without a name", async () => {
    const com = await member("com", "commenter");
    await set(imageId, "approved", { note: "Fine." }, com);
    const [row] = await backend.inside.query(probe.rows, { table: "users", field: "id", value: com.userId });
    await backend.inside.mutation(probe.remove, { table: "users", id: String(row?.["_id"]) });
    expect(await ada.query(api.reviews.getReview, { id: imageId })).toMatchObject({ by: null, note: "Fine." });
  });

  it("hides statuses from visitors of public links, also from their filters", async () => {
    await set(imageId, "approved");
    await set(designId, "approved");
    const settings = { name: "a link", lock: 0, downloads: false, createdBy: ada.userId, createdAt: 0, kind: "view" };
    const row = { projectId, itemId: projectId, tokenHash: `link ${projectId}`, sealedToken: "x", ...settings };
    const visitor = await linkVisitor(backend, await backend.inside.mutation(probe.insert, { table: "links", row }));
    const answers = [
      await visitor.query(api.projects.getProjectById, { id: projectId }),
      await visitor.query(api.designs.getDesignById, { id: designId }),
      await visitor.query(api.designs.getDesignsByProjectId, { projectId, review: "none" }),
      await visitor.query(api.designImages.getDesignImagesByDesignId, { designId, review: "none" }),
      (await visitor.query(api.designImages.getDesignImageInPlace, { id: imageId })).image,
    ];
    expect(JSON.stringify(answers)).not.toContain("eview");
    expect(answers.map((answer) => [answer].flat().length)).toEqual([1, 1, 1, 1, 1]);
  });

  it("shows the newest items of each status in the overview", async () => {
    await set(imageId, "approved");
    await set(designId, "inReview");
    const { designs, images } = await ada.query(api.reviews.getOverview, { projectId });
    expect([designs.map(({ _id }) => _id), images.map(({ _id }) => _id)]).toEqual([[designId], [imageId]]);
  });
});
