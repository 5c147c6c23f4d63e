import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, linkVisitor, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const NOT_FOUND = { code: "not_found" };
const ENDED = { code: "unauthenticated" };
const paginationOpts = { cursor: null, numItems: 20 };
const { comments, linkComments } = api;

describe.each(backends)("comments through public links on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, project, design, image } = await shareProject(backend, "commenter"));
  });

  const settings = { name: "For the client", downloads: false, expiresAt: null };
  async function create(itemId: string, allowed = true) {
    const made = { tokenHash: randomUUID(), sealedToken: "sealed", passwordHash: null };
    const args = { sessionId: ada.sessionId, itemId, ...made, ...settings, comments: allowed };
    const linkId = await server.mutation(api.links.create, args);
    return { linkId, visitor: await linkVisitor(backend, linkId) };
  }
  const newGuest = (name = "Grace") => ({ id: `guest-${randomUUID()}`, name });
  type Writer = { guest: ReturnType<typeof newGuest> } | { sessionId: string };
  const by = (writer: Writer) => ("guest" in writer ? { guest: writer.guest } : { sessionId: writer.sessionId });
  const allRefused = (calls: Promise<unknown>[]) => Promise.all(calls.map(refused));
  const begin = (linkId: string, writer: Writer, text: string, itemId: string = image, more: object = {}) =>
    server.mutation(linkComments.startThread, { linkId, lock: 0, ...by(writer), itemId, text, key: randomUUID(), ...more });
  const answer = (linkId: string, writer: Writer, threadId: string, text: string) =>
    server.mutation(linkComments.reply, { linkId, lock: 0, ...by(writer), threadId, text, key: randomUUID() });
  const threads = async (reader: Caller, itemId: string = image) =>
    (await reader.query(comments.listThreads, { itemId, filter: "all", withReplies: true, paginationOpts })).page;
  const texts = async (reader: Caller, itemId: string = image) =>
    (await threads(reader, itemId)).flatMap(({ first, replies = [] }) => [first, ...replies].map(({ text }) => text));
  const unread = async (person: Person) => (await person.query(api.notices.listAll, {})).filter(({ read }) => !read);

  it("are written by guests with a name, and shown as theirs", async () => {
    const { linkId, visitor } = await create(image);
    const guest = newGuest();
    const anchor = { x: 0.5, y: 0.5 };
    const id = await begin(linkId, { guest }, `Larger, @[ada](${ada.userId})?`, image, { anchor });
    await answer(linkId, { guest }, id, "Please");
    const author = { userId: guest.id, name: "Grace", isMe: false };
    expect(await threads(visitor)).toMatchObject([
      { anchor, isUnread: false, first: { text: "Larger, @ada?", author, through: "guest", mentions: [] }, replies: [{ author }] },
    ]);
    expect((await threads(visitor))[0]?.first).not.toHaveProperty("linkId");
    expect((await threads(ada))[0]?.first).toMatchObject({ author, linkId });
    expect(await visitor.query(comments.listPins, { itemId: image })).toMatchObject([{ threadId: id, anchor, isUnread: false }]);
    const shown = await visitor.query(api.designImages.getDesignImageInPlace, { id: image });
    expect(shown.image).toMatchObject({ openThreadCount: 1 });
  });

  it("are written by signed-in users under their name, marked as through the link", async () => {
    const { linkId, visitor } = await create(image);
    const mia = await signUp(backend, "mia");
    await begin(linkId, mia, "Mine");
    expect(await threads(visitor)).toMatchObject([{ first: { author: { userId: mia.userId, name: "mia" }, through: "link" } }]);
    expect(await refused(begin(linkId, { sessionId: "never" }, "No"))).toEqual(ENDED);
    expect(await refused(mia.query(comments.listThreads, { itemId: image, filter: "all", paginationOpts }))).toEqual(NOT_FOUND);
  });

  it("need a valid guest with a name", async () => {
    const { linkId } = await create(image);
    for (const id of ["", eve.userId, "guest-", "guest-short", `${newGuest().id} x`])
      expect(await refused(begin(linkId, { guest: { id, name: "Grace" } }, "No"))).toEqual(ENDED);
    for (const name of [" ", "x".repeat(81), "two\u2028lines"])
      expect(await refused(begin(linkId, { guest: newGuest(name) }, "No"))).toMatchObject({ code: "invalid" });
    expect(await refused(server.mutation(linkComments.startThread, { linkId, lock: 0, itemId: image, text: "No", key: "k" }))).toEqual(
      ENDED,
    );
  });

  it("are seen and written only on the link's target and what is in it", async () => {
    const beside = (await addImage(backend, ada, design, "beside")).id;
    const other = await ada.mutation(comments.startThread, { itemId: beside, text: "Other", key: randomUUID() });
    const ofImage = await create(image);
    const guest = newGuest();
    for (const refusal of await allRefused([
      threads(ofImage.visitor, beside),
      threads(ofImage.visitor, design),
      ofImage.visitor.query(comments.getThread, { threadId: other }),
      ofImage.visitor.query(comments.listReplies, { threadId: other, paginationOpts }),
      ofImage.visitor.query(comments.listPins, { itemId: beside }),
      begin(ofImage.linkId, { guest }, "No", beside),
      begin(ofImage.linkId, { guest }, "No", design),
      answer(ofImage.linkId, { guest }, other, "No"),
    ]))
      expect(refusal).toEqual(NOT_FOUND);
    const ofProject = await create(project);
    await answer(ofProject.linkId, { guest }, other, "Yes");
    await begin(ofProject.linkId, { guest }, "On the design", design);
    expect([await texts(ofProject.visitor, beside), await texts(ofProject.visitor, design)]).toEqual([["Other", "Yes"], ["On the design"]]);
  });

  it("are neither shown nor accepted by a link without comments", async () => {
    const { linkId, visitor } = await create(project, false);
    const id = await ada.mutation(comments.startThread, { itemId: image, text: "Internal", key: randomUUID() });
    const change = (allowed: boolean) =>
      server.mutation(api.links.change, { sessionId: ada.sessionId, projectId: project, linkId, ...settings, comments: allowed });
    const expectNone = async () => {
      const shown = (await visitor.query(api.designImages.getDesignImageInPlace, { id: image })).image;
      expect(shown).not.toHaveProperty("lastCommentAt");
      expect(shown).not.toHaveProperty("openThreadCount");
      for (const refusal of await allRefused([
        threads(visitor),
        begin(linkId, { guest: newGuest() }, "No"),
        answer(linkId, { guest: newGuest() }, id, "No"),
      ]))
        expect(refusal).toEqual(NOT_FOUND);
    };
    await expectNone();
    await change(true);
    await answer(linkId, { guest: newGuest() }, id, "Yes");
    expect(await texts(visitor)).toEqual(["Internal", "Yes"]);
    await change(false);
    await expectNone();
    expect(await texts(ada)).toEqual(["Internal", "Yes"]);
  });

  it("keep the setting when a form of the previous build changes the link", async () => {
    const { linkId } = await create(project);
    await server.mutation(api.links.change, { sessionId: ada.sessionId, projectId: project, linkId, ...settings });
    expect((await ada.query(api.links.list, { projectId: project, paginationOpts })).page).toMatchObject([{ comments: true }]);
  });

  it("are changed and deleted by their author only, through the same link", async () => {
    const { linkId, visitor } = await create(image);
    const other = await create(image);
    const [guest, stranger] = [newGuest(), newGuest("Grace")];
    const threadId = await begin(linkId, { guest }, "Frist");
    const ofEve = await begin(linkId, eve, "Through the link");
    const first = async (id: string) => (await visitor.query(comments.getThread, { threadId: id })).first._id;
    const commentId = await first(threadId);
    const edit = (through: string, writer: Writer, id: string, text: string) =>
      server.mutation(linkComments.edit, { linkId: through, lock: 0, ...by(writer), commentId: id, text });
    const remove = (through: string, writer: Writer, id: string) =>
      server.mutation(linkComments.remove, { linkId: through, lock: 0, ...by(writer), commentId: id });
    const own = (
      await ada.query(comments.getThread, { threadId: await ada.mutation(comments.startThread, { itemId: image, text: "Ada", key: "k" }) })
    ).first._id;
    const commentOfEve = await first(ofEve);
    for (const refusal of await allRefused([
      edit(linkId, { guest: stranger }, commentId, "No"),
      remove(linkId, { guest: stranger }, commentId),
      edit(other.linkId, { guest }, commentId, "No"),
      remove(other.linkId, eve, commentOfEve),
      edit(linkId, ada, own, "Not through the link"),
    ]))
      expect(refusal).toEqual(NOT_FOUND);
    await edit(linkId, { guest }, commentId, "First");
    expect((await visitor.query(comments.getThread, { threadId })).first).toMatchObject({ text: "First", editedAt: expect.any(Number) });
    await remove(linkId, { guest }, commentId);
    expect(await refused(visitor.query(comments.getThread, { threadId }))).toEqual(NOT_FOUND);
    await eve.mutation(comments.edit, { commentId: commentOfEve, text: "As a member" });
  });

  it("are hidden from visitors once the link ends, but stay visible to members", async () => {
    const { linkId, visitor } = await create(image);
    const guest = newGuest();
    const threadId = await begin(linkId, { guest }, "Stays");
    await ada.mutation(api.links.revoke, { projectId: project, linkId });
    for (const refusal of await allRefused([begin(linkId, { guest }, "No"), answer(linkId, { guest }, threadId, "No"), threads(visitor)]))
      expect(refusal).toEqual(ENDED);
    expect(await texts(eve)).toEqual(["Stays"]);
  });

  it("are limited per guest", async () => {
    const { linkId } = await create(image);
    const guest = newGuest();
    const threadId = await begin(linkId, { guest }, "1");
    for (let each = 2; each <= 30; each += 1) await answer(linkId, { guest }, threadId, String(each));
    expect(await refused(answer(linkId, { guest }, threadId, "31"))).toMatchObject({ code: "limit" });
  });

  it("notify members of threads, and the owner and participants of replies", async () => {
    const { linkId } = await create(image);
    const guest = newGuest();
    const threadId = await begin(linkId, { guest }, "New");
    await backend.settle();
    for (const person of [ada, eve])
      expect(await unread(person)).toMatchObject([
        { notice: { kind: "comment", guest: "Grace", threadId }, about: { actor: "Grace", imageId: image } },
      ]);
    const [entry] = (await ada.query(api.activities.list, { projectId: project, paginationOpts })).page;
    expect(entry).toMatchObject({ discussion: "commented", actor: { name: "A guest", isMe: false } });
    await eve.mutation(comments.reply, { threadId, text: "Done", key: randomUUID() });
    await ada.mutation(api.notices.markAllRead, {});
    await answer(linkId, { guest }, threadId, "Thanks");
    expect((await Promise.all([ada, eve].map(unread))).map(([each]) => each)).toMatchObject([
      { notice: { kind: "reply", guest: "Grace" } },
      { about: { actor: "Grace" } },
    ]);
    const earlier = await ada.query(api.notices.list, {});
    expect(earlier.find(({ read }) => !read)).toMatchObject({ notice: { kind: "reply" }, about: { actor: "Grace" } });
  });

  it("share the last of five unread notices per person and link", { tags: "@link-notices-limit" }, async () => {
    const [{ linkId }, other] = [await create(image), await create(image)];
    const threadIds: string[] = [];
    for (let each = 1; each <= 8; each += 1) {
      threadIds.push(await begin(linkId, { guest: newGuest(`Guest ${each}`) }, `${each}`));
      await backend.settle();
    }
    for (const person of [ada, eve]) {
      const shown = await unread(person);
      expect(shown.map(({ more }) => more)).toEqual([3, undefined, undefined, undefined, undefined]);
      expect(shown[0]).toMatchObject({ notice: { threadId: threadIds[7], guest: "Guest 8" }, about: { actor: "Guest 8" } });
      expect(await person.query(api.notices.getUnreadCount, {})).toBe(5);
    }
    await begin(other.linkId, { guest: newGuest() }, "Other link");
    await backend.settle();
    expect(await unread(ada)).toHaveLength(6);
    await ada.mutation(api.notices.markAllRead, {});
    await begin(linkId, { guest: newGuest() }, "Later");
    await backend.settle();
    expect((await unread(ada)).map(({ more }) => more)).toEqual([undefined]);
    expect((await unread(eve))[0]?.more).toBe(4);
  });

  it("add at most five read notices an hour per link to a muted project", async () => {
    const { linkId } = await create(image);
    await eve.mutation(api.notificationSettings.setMuted, { projectId: project, isMuted: true });
    for (let each = 1; each <= 8; each += 1) {
      await begin(linkId, { guest: newGuest() }, `${each}`);
      await backend.settle();
    }
    const ofLink = (await eve.query(api.notices.listAll, {})).filter(({ notice }) => notice.kind === "comment");
    expect(ofLink.map(({ read, more }) => [read, more])).toEqual([[true, 3], ...Array.from({ length: 4 }, () => [true, undefined])]);
  });

  it("are emailed at most six times an hour per person and link", async () => {
    const { linkId } = await create(image);
    const guest = newGuest();
    let last = "";
    for (let each = 1; each <= 8; each += 1) {
      last = await ada.mutation(comments.startThread, { itemId: image, text: "Ada", key: randomUUID() });
      await answer(linkId, { guest }, last, `Answer ${each}`);
    }
    await backend.settle();
    const mails = (await rowsOf(backend, "mails", "userId", ada.userId)).filter(({ key }) => key !== "digest");
    expect(mails).toHaveLength(6);
    expect(mails.filter(({ key }) => key === `link ${linkId}`)).toMatchObject([{ content: { thread: last } }]);
  });

  it("leave no name of the guest when they are deleted", async () => {
    const { linkId, visitor } = await create(image);
    const guest = newGuest("Buy now");
    const begun = await begin(linkId, { guest }, "spam");
    const replied = await ada.mutation(comments.startThread, { itemId: image, text: "Ada", key: randomUUID() });
    await answer(linkId, { guest }, replied, "spam");
    await eve.mutation(comments.reply, { threadId: begun, text: "Why?", key: randomUUID() });
    await backend.settle();
    expect(JSON.stringify([await unread(ada), await unread(eve)])).toContain("Buy now");
    for (const { first, replies = [] } of await threads(ada))
      for (const { _id, through } of [first, ...replies]) if (through === "guest") await ada.mutation(comments.remove, { commentId: _id });
    await backend.settle();
    const [mail] = (await unread(ada)).map(({ about }) => about?.actor);
    expect(mail).toBe("Someone");
    const shown = [await threads(visitor), await threads(ada), await unread(ada), await unread(eve)];
    const stored = [await rowsOf(backend, "comments", "threadId", begun), await rowsOf(backend, "notices", "threadId", begun)];
    expect(JSON.stringify([shown, stored])).not.toContain("Buy now");
    expect(await texts(visitor)).toEqual(["Ada", "", "Why?"]);
  });

  it("are emailed with the name of the guest", async () => {
    const { linkId } = await create(image);
    const guest = newGuest();
    const threadId = await begin(linkId, { guest }, "New");
    await answer(linkId, { guest }, threadId, "Another");
    await backend.settle();
    const mails = await rowsOf(backend, "mails", "userId", ada.userId);
    const mail = mails.find(({ key }) => key === threadId);
    await backend.inside.mutation(probe.patch, { table: "mails", id: String(mail?.["_id"]), fields: { dueAt: 0 } });
    const claimed = await server.mutation(api.accounts.mail.claimAll, { lease: "a", leaseMs: 60_000, limit: 1 });
    expect(claimed.map(({ content }) => content)).toMatchObject([
      {
        notification: {
          userId: ada.userId,
          notices: [{ notice: { kind: "reply", guest: "Grace" }, about: { actor: "Grace" } }],
          comments: [{ author: "Grace", isGuest: true, text: "Another" }],
        },
      },
    ]);
  });

  it("can be deleted in bulk by the owner, for one guest or the whole link", async () => {
    const [one, two] = [await create(project), await create(project)];
    const [spammer, client] = [newGuest("Spam"), newGuest("Client")];
    const threadId = await ada.mutation(comments.startThread, { itemId: image, text: "Ada", key: randomUUID() });
    for (let each = 0; each < 25; each += 1) await answer(one.linkId, { guest: spammer }, threadId, "spam");
    await begin(one.linkId, { guest: spammer }, "spam", design);
    const answered = await begin(one.linkId, { guest: spammer }, "spam with an answer", design);
    await eve.mutation(comments.reply, { threadId: answered, text: "Eve", key: randomUUID() });
    await answer(one.linkId, { guest: client }, threadId, "client");
    await answer(two.linkId, { guest: client }, threadId, "other link");
    const removeAll = (linkId: string, authorId?: string) =>
      ada.mutation(comments.removeOfLink, { projectId: project, linkId, ...(authorId && { authorId }) });
    expect(await refused(eve.mutation(comments.removeOfLink, { projectId: project, linkId: one.linkId }))).toEqual(NOT_FOUND);
    await removeAll(one.linkId, spammer.id);
    await backend.settle();
    expect(await texts(ada)).toEqual(["Ada", "client", "other link"]);
    expect(await texts(ada, design)).toEqual(["", "Eve"]);
    const listed = (await ada.query(api.links.list, { projectId: project, paginationOpts })).page;
    expect(listed).toMatchObject([{ hasComments: true }, { hasComments: true }]);
    await ada.mutation(api.links.revoke, { projectId: project, linkId: one.linkId });
    await removeAll(one.linkId);
    await backend.settle();
    expect(await texts(ada)).toEqual(["Ada", "other link"]);
    const foreign = await eve.mutation(api.projects.create, { name: "Eve's" });
    await eve.mutation(comments.removeOfLink, { projectId: foreign, linkId: two.linkId });
    await backend.settle();
    expect(await texts(ada)).toEqual(["Ada", "other link"]);
  });
});
