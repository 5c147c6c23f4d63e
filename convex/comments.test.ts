import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { addMember, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import type { ThreadFilter } from "./model/comments/commentShapes";

const paginationOpts = { cursor: null, numItems: 20 };
const { comments } = api;

describe.each(backends)("comments on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  let member: string;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, project, design, image, member } = await shareProject(backend, "commenter"));
  });

  const begin = (person: Person, text: string, itemId: string = image, more = {}) =>
    person.mutation(comments.startThread, { itemId, text, key: randomUUID(), ...more });
  const answer = (person: Person, threadId: string, text: string) => person.mutation(comments.reply, { threadId, text, key: randomUUID() });
  const thread = (person: Person, threadId: string) => person.query(comments.getThread, { threadId });
  const threads = async (person: Person, filter: ThreadFilter = "all", itemId: string = image) =>
    (await person.query(comments.listThreads, { itemId, filter, paginationOpts })).page;
  const texts = async (...args: Parameters<typeof threads>) => (await threads(...args)).map(({ first }) => first.text);
  const replies = async (person: Person, threadId: string) => (await person.query(comments.listReplies, { threadId, paginationOpts })).page;
  const notices = async (person: Person) => (await person.query(api.notices.list, {})).filter(({ read }) => !read);
  const shownImage = async (person: Person) => (await person.query(api.designImages.getDesignImageInPlace, { id: image })).image;
  const unread = async (person: Person) =>
    Promise.all([
      shownImage(person).then(({ isUnread = false }) => isUnread),
      person.query(api.designs.getDesignById, { id: design }).then(({ isUnread = false }) => isUnread),
      person.query(api.projects.getProjectById, { id: project }).then(({ isUnread = false }) => isUnread),
    ]);
  const setRole = (role: "viewer" | "editor") => ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role });
  const countRows = async (table: string, field: string, value: string) => (await rowsOf(backend, table, field, value)).length;

  it("shows a thread with its replies to all members, with the author's name", async () => {
    const id = await begin(eve, "Larger?\r\nPlease", image, { anchor: { x: 0.25, y: 0.5, width: 0.1, height: 0.2 } });
    await answer(ada, id, "Done");
    const [shown] = await threads(ada);
    expect(shown).toMatchObject({
      _id: id,
      itemId: image,
      anchor: { x: 0.25, y: 0.5, width: 0.1, height: 0.2 },
      versionNumber: 1,
      replyCount: 1,
      isResolved: false,
      first: { text: "Larger?\nPlease", author: { name: "eve", isMe: false }, isDeleted: false },
    });
    expect(await replies(eve, id)).toMatchObject([{ text: "Done", author: { name: "ada", isMe: false } }]);
  });

  it("writes a thread and a reply once for a repeated key", async () => {
    const sent = { itemId: image, text: "Once", key: randomUUID() };
    const id = await ada.mutation(comments.startThread, sent);
    const twice = { threadId: id, text: "Reply", key: randomUUID() };
    const first = await ada.mutation(comments.reply, twice);
    await eve.mutation(comments.startThread, { ...sent, key: randomUUID() });
    await ada.mutation(comments.setResolved, { threadId: id, isResolved: true });
    expect([await ada.mutation(comments.startThread, sent), await ada.mutation(comments.reply, twice)]).toEqual([id, first]);
    expect([(await threads(ada)).length, (await replies(ada, id)).length]).toEqual([2, 1]);
  });

  it("stores the version that was commented", async () => {
    const before = await begin(ada, "Before");
    const version = await addVersion(backend, ada, image, "again.png");
    const after = await begin(ada, "After");
    const [versionId] = (await rowsOf(backend, "imageVersions", "imageId", image)).map((row) => String(row["_id"]));
    const earlier = await begin(ada, "Earlier", image, { versionId });
    expect(version.storageId).toBeDefined();
    const numbers = await Promise.all([before, after, earlier].map(async (id) => (await thread(ada, id)).versionNumber));
    expect(numbers).toEqual([1, 2, 1]);
    const other = (await addImage(backend, ada, design, "other")).id;
    expect(await refused(begin(ada, "Elsewhere", other, { versionId }))).toEqual({ code: "not_found" });
  });

  it("returns the pins of an image, open ones first", async () => {
    const anchor = { x: 0, y: 1 };
    const resolved = await begin(ada, "Resolved", image, { anchor });
    const open = await begin(eve, "Open", image, { anchor });
    await begin(ada, "Without a place");
    await ada.mutation(comments.setResolved, { threadId: resolved, isResolved: true });
    expect(await eve.query(comments.listPins, { itemId: image })).toEqual([
      { threadId: open, anchor, versionNumber: 1, isResolved: false, isUnread: false },
      { threadId: resolved, anchor, versionNumber: 1, isResolved: true, isUnread: false },
    ]);
    expect(await refused(begin(ada, "Outside", image, { anchor: { x: 1.1, y: 0 } }))).toMatchObject({ code: "invalid" });
  });

  it("lists open, resolved, own and mentioning threads", async () => {
    const one = await begin(ada, "one");
    await begin(eve, `two @[ada](${ada.userId})`);
    await begin(ada, "three", design);
    await ada.mutation(comments.setResolved, { threadId: one, isResolved: true });
    const two = `two @[ada](${ada.userId})`;
    expect(await Promise.all((["open", "resolved", "mine", "mentions", "all"] as const).map((filter) => texts(ada, filter)))).toEqual([
      [two],
      ["one"],
      ["one"],
      [two],
      [two, "one"],
    ]);
    expect(await texts(eve, "mentions")).toEqual([]);
    expect(await texts(ada, "all", design)).toEqual(["three"]);
    expect([(await shownImage(ada)).openThreadCount, (await thread(eve, one)).resolvedBy]).toEqual([1, "ada"]);
  });

  it("lists at most 50 threads with replies at a time", async () => {
    const threadId = await begin(ada, "One");
    const rowFor = async (table: string, field: string) => {
      const [{ _id, _creationTime, ...row } = {}] = await rowsOf(backend, table, field, threadId);
      return row;
    };
    const thread = await rowFor("commentThreads", "_id");
    await backend.inside.mutation(probe.insertMany, { table: "commentThreads", rows: Array.from({ length: 60 }, () => thread) });
    const comment = await rowFor("comments", "threadId");
    const threads = await rowsOf(backend, "commentThreads", "itemId", image);
    const rows = threads.filter(({ _id }) => _id !== threadId).map(({ _id }) => ({ ...comment, threadId: _id }));
    await backend.inside.mutation(probe.insertMany, { table: "comments", rows });
    const listed = { itemId: image, filter: "all" as const, paginationOpts: { cursor: null, numItems: 200 } };
    expect((await ada.query(comments.listThreads, { ...listed, withReplies: true })).page).toHaveLength(50);
    expect((await ada.query(comments.listThreads, listed)).page).toHaveLength(61);
  });

  it("records comments and resolved threads in the history, without their text", async () => {
    const history = async () => (await ada.query(api.activities.list, { projectId: project, paginationOpts })).page;
    const id = await begin(ada, "Secret words");
    await answer(ada, id, "More secret words");
    await begin(ada, "On the design", design);
    await answer(eve, id, "From Eve");
    await ada.mutation(comments.setResolved, { threadId: id, isResolved: true });
    await ada.mutation(comments.setResolved, { threadId: id, isResolved: true });
    await ada.mutation(comments.setResolved, { threadId: id, isResolved: false });
    const entries = (await history()).filter(({ discussion }) => discussion !== undefined);
    expect(entries.map(({ kind, discussion, actor, thing, count = 1 }) => [kind, discussion, actor?.name, thing.kind, count])).toEqual([
      ["tagged", "reopened", "ada", "image", 1],
      ["tagged", "resolved", "ada", "image", 1],
      ["tagged", "commented", "eve", "image", 1],
      ["tagged", "commented", "ada", "design", 1],
      ["tagged", "commented", "ada", "image", 2],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/secret/i);
  });

  it("resolves once when two people do it, and reopens", async () => {
    await setRole("editor");
    const id = await begin(ada, "Resolve");
    await Promise.all([ada, eve].map((person) => person.mutation(comments.setResolved, { threadId: id, isResolved: true })));
    expect(await shownImage(ada)).toMatchObject({ openThreadCount: 0 });
    await Promise.all([ada, eve].map((person) => person.mutation(comments.setResolved, { threadId: id, isResolved: false })));
    expect([(await shownImage(ada)).openThreadCount, (await thread(ada, id)).isResolved]).toEqual([1, false]);
  });

  it("marks an edited comment, and refuses an edit of a changed text", async () => {
    const { _id: commentId } = (await thread(eve, await begin(eve, "First"))).first;
    await eve.mutation(comments.edit, { commentId, text: "Second", from: "First" });
    const stale = eve.mutation(comments.edit, { commentId, text: "Third", from: "First" });
    expect(await refused(stale)).toMatchObject({ code: "conflict", current: "Second" });
    await eve.mutation(comments.edit, { commentId, text: "Third", from: "Second" });
    const [shown] = await threads(ada);
    expect(shown?.first).toMatchObject({ text: "Third", editedAt: expect.any(Number) });
    expect(await refused(ada.mutation(comments.edit, { commentId, text: "Not mine" }))).toEqual({ code: "not_found" });
    expect(await refused(eve.mutation(comments.edit, { commentId, text: " " }))).toMatchObject({
      fieldErrors: { text: ["Enter a comment."] },
    });
    const long = eve.mutation(comments.edit, { commentId, text: "x".repeat(5001) });
    expect(await refused(long)).toMatchObject({ fieldErrors: { text: ["A comment can have at most 5,000 characters."] } });
  });

  it("keeps a deleted first comment without text while it has replies", async () => {
    const id = await begin(eve, "First");
    const commentId = await answer(ada, id, "Reply");
    await eve.mutation(comments.remove, { commentId: (await thread(eve, id)).first._id });
    expect((await thread(ada, id)).first).toMatchObject({ text: "", isDeleted: true });
    await ada.mutation(comments.remove, { commentId });
    expect([await threads(ada), (await shownImage(ada)).openThreadCount]).toEqual([[], 0]);
    await backend.settle();
    expect(await countRows("comments", "threadId", id)).toBe(0);
  });

  it("lets authors delete their comments, and the owner any", async () => {
    const id = await begin(ada, "First");
    const own = await answer(eve, id, "Own");
    const other = await answer(eve, id, "Other");
    const { first } = await thread(eve, id);
    expect(await refused(eve.mutation(comments.remove, { commentId: first._id }))).toEqual({ code: "not_found" });
    await eve.mutation(comments.remove, { commentId: own });
    await ada.mutation(comments.remove, { commentId: other });
    expect(await thread(ada, id)).toMatchObject({ replyCount: 0, first: { text: "First" } });
    await ada.mutation(comments.remove, { commentId: first._id });
    expect(await threads(ada)).toEqual([]);
  });

  it("counts reactions per emoji, at most ten per person", async () => {
    const { _id: commentId } = (await thread(ada, await begin(ada, "React"))).first;
    const react = (person: Person, emoji: string, isOn = true) => person.mutation(comments.react, { commentId, emoji, isOn });
    await Promise.all([react(ada, "👍"), react(eve, "👍"), react(eve, "❤️")]);
    await react(eve, "👍");
    await react(eve, "❤️", false);
    const shown = async (person: Person) => (await threads(person))[0]?.first.reactions;
    expect(await shown(ada)).toEqual([{ emoji: "👍", count: 2, isMine: true }]);
    for (const emoji of ["😀", "😁", "😂", "😃", "😄", "😅", "😆", "😇", "👩‍🚀"]) await react(eve, emoji);
    expect(await refused(react(eve, "🎉"))).toMatchObject({ code: "limit" });
    for (const emoji of ["", "x", "👍👍"]) expect(await refused(react(ada, emoji))).toMatchObject({ code: "invalid" });
  });

  it("shows the current name of a mentioned person, and others as text", async () => {
    const stranger = await signUp(backend, "stranger");
    const text = `@[eve](${eve.userId}) and @[stranger](${stranger.userId})`;
    const id = await begin(ada, text);
    const rename = async (fields: object) => {
      const [user] = await rowsOf(backend, "users", "id", eve.userId);
      await backend.inside.mutation(probe.patch, { table: "users", id: String(user?.["_id"]), fields });
    };
    await rename({ name: "Eve [new]" });
    const { first } = await thread(ada, id);
    expect(first.text).toBe(`@[Eve  new ](${eve.userId}) and @stranger`);
    expect(first.mentions).toEqual([{ userId: eve.userId, name: "Eve [new]" }]);
    const [stored] = await rowsOf(backend, "comments", "threadId", id);
    expect(stored?.["text"]).toBe(`@[](${eve.userId}) and @stranger`);
    await ada.mutation(comments.edit, { commentId: first._id, text: "Nobody", from: first.text });
    expect(await texts(eve, "mentions")).toEqual([]);
  });

  it("lists the owner and the members for mentions", async () => {
    expect(await eve.query(comments.listPeople, { projectId: project })).toEqual([{ userId: ada.userId, name: "ada", role: "owner" }]);
    expect(await ada.query(comments.listPeople, { projectId: project })).toEqual([{ userId: eve.userId, name: "eve", role: "commenter" }]);
  });

  it("marks the image, its design and project as unread until all is read", async () => {
    const other = (await addImage(backend, ada, design, "other")).id;
    await begin(ada, "One");
    await begin(ada, "Two", other);
    await begin(ada, "Three", design);
    expect(await unread(eve)).toEqual([true, true, true]);
    expect(await unread(ada)).toEqual([false, false, false]);
    await eve.mutation(comments.markRead, { itemId: image });
    expect(await unread(eve)).toEqual([false, true, true]);
    await eve.mutation(comments.markRead, { itemId: design });
    expect(await unread(eve)).toEqual([false, true, true]);
    await eve.mutation(comments.markRead, { itemId: other });
    expect(await unread(eve)).toEqual([false, false, false]);
    await answer(ada, (await threads(ada))[0]?._id ?? "", "More");
    expect(await unread(eve)).toEqual([true, true, true]);
    expect((await threads(eve)).map(({ isUnread }) => isUnread)).toEqual([true]);
    const lists = await Promise.all([
      eve.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
      eve.query(api.designs.getDesignsByProjectId, { projectId: project }),
      eve.query(api.members.listSharedProjects, { paginationOpts }).then(({ page }) => page),
    ]);
    expect(lists.map((list) => list.map(({ isUnread = false }) => isUnread))).toEqual([[true, false], [true], [true]]);
  });

  it("stores nothing for a read item without comments", async () => {
    await eve.mutation(comments.markRead, { itemId: image });
    expect(await countRows("commentReads", "userId", eve.userId)).toBe(0);
  });

  it("removes the unread mark of a trashed image when its design is read", async () => {
    await begin(ada, "Gone");
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    await eve.mutation(comments.markRead, { itemId: design });
    const { isUnread = false } = await eve.query(api.projects.getProjectById, { id: project });
    expect(isUnread).toBe(false);
  });

  it("notifies mentioned people and participants, once per thread", async () => {
    const id = await begin(ada, `@[eve](${eve.userId})`);
    expect(await notices(eve)).toMatchObject([
      { notice: { kind: "mention", threadId: id }, about: { actor: "ada", designId: design, imageId: image } },
    ]);
    await answer(eve, id, "First");
    await answer(eve, id, "Second");
    expect(await notices(ada)).toMatchObject([{ notice: { kind: "reply", actorId: eve.userId } }]);
    expect(await ada.query(api.notices.getNotices, {})).toEqual([]);
    expect(await countRows("mails", "userId", ada.userId)).toBe(1);
    await ada.mutation(comments.markRead, { itemId: image });
    expect(await notices(ada)).toEqual([]);
    await backend.inside.mutation(probe.remove, { table: "projectMembers", id: member });
    await answer(ada, id, `@[eve](${eve.userId})`);
    const [shown] = await notices(eve);
    expect([shown?.about, (await notices(eve)).length]).toEqual([undefined, 1]);
  });

  it("stores the notice of a new thread as read for someone who has already read it", async () => {
    const id = await begin(eve, "Seen at once", design);
    await ada.mutation(comments.markRead, { itemId: design });
    await backend.settle();
    const listed = await ada.query(api.notices.listAll, {});
    expect(listed.filter(({ notice }) => notice.kind === "comment")).toMatchObject([{ read: true, notice: { threadId: id } }]);
  });

  it("refuses a comment of someone whose role was lowered meanwhile", async () => {
    const id = await begin(eve, "Before");
    await setRole("viewer");
    expect(await refused(begin(eve, "After"))).toEqual({ code: "not_found" });
    expect(await refused(answer(eve, id, "After"))).toEqual({ code: "not_found" });
    const { _id: commentId } = (await thread(eve, id)).first;
    expect(await refused(eve.mutation(comments.edit, { commentId, text: "After" }))).toEqual({ code: "not_found" });
    expect(await refused(eve.mutation(comments.remove, { commentId }))).toEqual({ code: "not_found" });
  });

  it("limits how many comments a person writes per minute", async () => {
    const id = await begin(eve, "First");
    for (let each = 1; each < 30; each++) await answer(eve, id, `Reply ${each}`);
    expect(await refused(answer(eve, id, "One more"))).toMatchObject({ code: "limit" });
    expect(await refused(begin(eve, "One more"))).toMatchObject({ code: "limit" });
    await answer(ada, id, "Someone else's");
  });

  it("keeps comments when an item moves, and copies none", async () => {
    await begin(ada, "Stays");
    await begin(ada, "On the design", design);
    const copy = await ada.mutation(api.designImages.duplicate, { id: image });
    const target = await ada.mutation(api.projects.create, { name: "Target" });
    const other = await ada.mutation(api.designs.create, { projectId: target, name: "Other" });
    await ada.mutation(api.designImages.move, { ids: [image], designId: other });
    await ada.mutation(api.designs.move, { id: design, projectId: target });
    const copyOfDesign = await ada.mutation(api.designs.duplicate, { id: design });
    await backend.settle();
    expect([await texts(ada), await texts(ada, "all", design)]).toEqual([["Stays"], ["On the design"]]);
    expect([await texts(ada, "all", copy), await texts(ada, "all", copyOfDesign)]).toEqual([[], []]);
    expect((await ada.query(api.designs.getDesignById, { id: copyOfDesign })).lastCommentAt).toBeUndefined();
    const moved = await Promise.all([
      ada.query(api.designs.getDesignById, { id: other }),
      ada.query(api.projects.getProjectById, { id: target }),
    ]);
    expect(moved.map(({ lastCommentAt }) => lastCommentAt)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(await refused(threads(eve))).toEqual({ code: "not_found" });
  });

  it.each(["image", "design", "project"] as const)("deletes the comments of a purged %s", async (kind) => {
    const [onImage, onDesign] = [await begin(ada, `@[eve](${eve.userId})`), await begin(eve, "On the design", design)];
    await eve.mutation(comments.react, { commentId: await answer(eve, onImage, "Reply"), emoji: "👍", isOn: true });
    const id = { image, design, project }[kind];
    const { moveToTrash } = { project: api.projects, design: api.designs, image: api.designImages }[kind];
    await ada.mutation(moveToTrash, { id });
    const writing = Promise.allSettled([answer(eve, onImage, "Meanwhile"), begin(eve, "Meanwhile")]);
    await ada.mutation(api.trash.purge, { id });
    expect((await writing).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await backend.settle();
    for (const table of ["comments", "commentReactions", "commentMentions", "notices"])
      expect(await countRows(table, "threadId", onImage), table).toBe(0);
    expect(await countRows("commentReads", "itemId", image)).toBe(0);
    expect(await countRows("commentThreads", "itemId", image)).toBe(0);
    expect(await countRows("comments", "threadId", onDesign)).toBe(kind === "image" ? 1 : 0);
    expect((await countRows("commentReads", "itemId", project)) > 0).toBe(kind !== "project");
  });

  it("deletes more comments than a transaction deletes", async () => {
    const id = await begin(ada, "First");
    const row = { threadId: id, isReply: true, authorId: ada.userId, text: "x", createdAt: 1, mentions: [], key: "x" };
    await backend.inside.mutation(probe.insertMany, { table: "comments", rows: Array.from({ length: 250 }, () => row) });
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    await ada.mutation(api.trash.purge, { id: image });
    await backend.settle();
    expect([await countRows("comments", "threadId", id), await countRows("commentThreads", "itemId", image)]).toEqual([0, 0]);
  });

  it("keeps the comments of a deleted account without its name and reactions", async () => {
    const id = await begin(ada, `@[eve](${eve.userId})`);
    await answer(eve, id, "Stays");
    const { _id: commentId } = (await thread(ada, id)).first;
    for (const person of [ada, eve]) await person.mutation(comments.react, { commentId, emoji: "👍", isOn: true });
    const where = [equals("id", eve.userId)];
    await (await appServer(backend)).mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    const { first } = await thread(ada, id);
    expect(first).toMatchObject({ text: `@[Deleted user](${eve.userId})`, reactions: [{ emoji: "👍", count: 1, isMine: true }] });
    expect(await replies(ada, id)).toMatchObject([{ text: "Stays", author: { name: "Deleted user" } }]);
    for (const table of ["commentReads", "commentReactions", "commentMentions"])
      expect(await countRows(table, "userId", eve.userId), table).toBe(0);
  });

  it("hides comments from strangers and from members of other projects", async () => {
    const id = await begin(ada, "Secret");
    const bob = await signUp(backend, "bob");
    expect(await refused(thread(bob, id))).toEqual({ code: "not_found" });
    await addMember(backend, await bob.mutation(api.projects.create, { name: "Bob's" }), ada, "viewer");
    expect(await refused(answer(bob, id, "Hello"))).toEqual({ code: "not_found" });
  });
});
