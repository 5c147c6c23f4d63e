import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addMember, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import type { Delivery, NotificationKind } from "./model/notifications/kinds";
import { nextMorning } from "./model/notifications/nextMorning";

const { comments, notificationSettings: settings } = api;
const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

describe.each(backends)("notifications on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let image: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, project, image } = await shareProject(backend, "editor"));
  });

  const begin = async (person: Person, text: string) => {
    const id = await person.mutation(comments.startThread, { itemId: image, text, key: randomUUID() });
    await backend.settle();
    return id;
  };
  const answer = (person: Person, threadId: string, text: string) => person.mutation(comments.reply, { threadId, text, key: randomUUID() });
  const firstOf = async (person: Person, threadId: string) => (await person.query(comments.getThread, { threadId })).first._id;
  const mention = ({ userId }: Person) => `@[x](${userId})`;
  const choose = (person: Person, deliveries: Partial<Record<NotificationKind, Delivery>>) => person.mutation(settings.set, { deliveries });
  const notices = async (person: Person) =>
    (await person.query(api.notices.listAll, {})).map(({ notice, read, about, access }) => ({ ...notice, read, about, access }));
  const unread = (person: Person) => person.query(api.notices.getUnreadCount, {});
  const queued = ({ userId }: Person) => rowsOf(backend, "mails", "userId", userId);
  const patch = (table: string, id: unknown, fields: object) => backend.inside.mutation(probe.patch, { table, id: String(id), fields });
  const claim = (leaseMs = HOUR) => server.mutation(api.accounts.mail.claimAll, { lease: "a", leaseMs, limit: 100 });
  async function claimed(person: Person, leaseMs = HOUR) {
    for (const { _id } of await queued(person)) await patch("mails", _id, { dueAt: 0 });
    const all = await claim(leaseMs);
    return all.flatMap(({ id, content }) => {
      const isOwn = "notification" in content && content.notification.userId === person.userId;
      return isOwn ? [{ id, mail: content.notification }] : [];
    });
  }
  async function sent(person: Person) {
    const mails = await claimed(person);
    for (const { id } of mails) await server.mutation(api.accounts.mail.done, { id, lease: "a" });
    return mails.map(({ mail }) => ({
      kinds: mail.notices.map(({ notice }) => notice.kind).toSorted(),
      isDigest: mail.isDigest,
      texts: mail.comments.map(({ text }) => text),
    }));
  }
  const atOnce = (kinds: NotificationKind[], texts: string[] = []) => ({ kinds, isDigest: false, texts });

  it("emails mentions, replies and requests at once, and the rest in a digest", async () => {
    const thread = await begin(eve, `Larger? ${mention(ada)}`);
    await answer(ada, thread, "No");
    await begin(eve, "Another");
    await ada.mutation(api.reviews.request, { id: image, userIds: [eve.userId], dueOn: "", note: "" });
    expect(await sent(eve)).toEqual(expect.arrayContaining([atOnce(["reply"], ["No"]), atOnce(["reviewRequested"])]));
    await eve.mutation(api.reviews.setStatus, { id: image, status: "approved", note: "" });
    const mails = await sent(ada);
    expect(mails).toHaveLength(2);
    expect(mails).toEqual(
      expect.arrayContaining([atOnce(["mention"], ["Larger? @ada"]), { kinds: ["comment", "reviewGiven"], isDigest: true, texts: [] }]),
    );
  });

  it("waits before an email, so that an open page can mark the comments as read", async () => {
    const thread = await begin(eve, "Hello");
    const before = Date.now();
    await answer(ada, thread, "Read at once");
    expect(Number((await queued(eve))[0]?.["dueAt"]) - before).toBeGreaterThan(5000);
    await eve.mutation(comments.markRead, { itemId: image });
    expect(await sent(eve)).toEqual([]);
    expect(await queued(eve)).toEqual([]);
  });

  it("emails one thread at most once an hour, with what is new since", async () => {
    const thread = await begin(eve, "Start");
    for (const text of ["one", "two"]) await answer(ada, thread, text);
    expect(await queued(eve)).toHaveLength(1);
    expect(await sent(eve)).toEqual([atOnce(["reply"], ["one", "two"])]);
    await answer(ada, thread, "three");
    const [waiting, ...others] = await queued(eve);
    expect(others).toEqual([]);
    expect(Number(waiting?.["dueAt"])).toBeGreaterThan(Date.now() + HOUR - MINUTE);
    expect(await sent(eve)).toEqual([atOnce(["reply"], ["three"])]);
    expect(await sent(eve)).toEqual([]);
    expect(await queued(eve)).toEqual([]);
  });

  it("includes a comment that arrives while its email is sent in the next email", async () => {
    const thread = await begin(eve, "Start");
    await answer(ada, thread, "one");
    const [{ id } = { id: null }] = await claimed(eve);
    if (id === null) throw new Error("nothing was claimed");
    await answer(ada, thread, "two");
    await server.mutation(api.accounts.mail.done, { id, lease: "a" });
    expect(await sent(eve)).toEqual([atOnce(["reply"], ["two"])]);
  });

  it("omits deleted comments from emails, and includes mentions that an edit added", async () => {
    const thread = await begin(ada, "Start");
    await answer(eve, thread, "gone soon");
    const kept = await answer(eve, thread, "plain");
    const gone = (await ada.query(comments.listReplies, { threadId: thread, paginationOpts: { cursor: null, numItems: 5 } })).page[0]?._id;
    await eve.mutation(comments.remove, { commentId: String(gone) });
    await eve.mutation(comments.edit, { commentId: kept, text: `named ${mention(ada)}` });
    expect(await sent(ada)).toEqual([atOnce(["mention", "reply"], ["named @ada"])]);
    await answer(eve, thread, "last");
    await ada.mutation(comments.remove, { commentId: await firstOf(ada, thread) });
    for (const { _id } of (await eve.query(comments.listReplies, { threadId: thread, paginationOpts: { cursor: null, numItems: 5 } })).page)
      await eve.mutation(comments.remove, { commentId: _id });
    expect(await sent(ada)).toEqual([]);
  });

  it.each([
    ["lost the access", () => ada.mutation(api.members.remove, { projectId: project, userId: eve.userId })],
    ["muted the project", () => eve.mutation(settings.setMuted, { projectId: project, isMuted: true })],
    ["turned the mails off", () => choose(eve, { reply: "never", accessChanged: "never" })],
    ["unsubscribed", () => server.mutation(settings.end, { userId: eve.userId, from: "reply" })],
    ["read it", () => eve.mutation(api.notices.markAllRead, {})],
    ["can no longer see the item", () => ada.mutation(api.designImages.moveToTrash, { id: image })],
  ])("mails nothing to someone who meanwhile %s", async (_, change) => {
    await choose(eve, { accessChanged: "never" });
    await answer(ada, await begin(eve, "Start"), "Reply");
    await change();
    expect(await sent(eve)).toEqual([]);
    expect(await queued(eve)).toEqual([]);
  });

  it("emails only verified addresses", async () => {
    await answer(ada, await begin(eve, "Start"), "Reply");
    const [user] = await rowsOf(backend, "users", "id", eve.userId);
    await patch("users", user?.["_id"], { emailVerified: false });
    expect(await sent(eve)).toEqual([]);
  });

  it("emails no disabled person", { tags: "@mails-no-disabled-person" }, async () => {
    await answer(ada, await begin(eve, "Start"), "Reply");
    const [user] = await rowsOf(backend, "users", "id", eve.userId);
    await patch("users", user?.["_id"], { disabledAt: 1 });
    expect(await sent(eve)).toEqual([]);
  });

  it("notifies all others of a new thread, but nobody of their own actions", async () => {
    const others = await Promise.all(Array.from({ length: 60 }, (_, each) => signUp(backend, `p${each}`)));
    for (const person of others) await addMember(backend, project, person, "viewer");
    const [first, last] = [others[0], others.at(-1)];
    if (!first || !last) throw new Error("There are none");
    await begin(eve, `Look ${mention(first)} ${mention(eve)}`);
    expect((await notices(first)).map(({ kind }) => kind)).toEqual(["mention"]);
    for (const person of [ada, last]) expect(await notices(person)).toMatchObject([{ kind: "comment", about: { actor: "eve" } }]);
    expect([await notices(eve), await queued(eve)]).toEqual([[], []]);
  });

  it("schedules nothing for a new thread in a project without members", async () => {
    const own = await ada.mutation(api.projects.create, { name: "Alone" });
    const design = await ada.mutation(api.designs.create, { projectId: own, name: "Alone" });
    await ada.mutation(comments.startThread, { itemId: design, text: "Note", key: randomUUID() });
    await backend.settle();
    expect([await notices(ada), await queued(ada)]).toEqual([[], []]);
  });

  it("sends one digest a day, with what is new since the last one", async () => {
    await begin(eve, "one");
    const [digest, ...others] = await queued(ada);
    expect(others).toEqual([]);
    expect(Number(digest?.["dueAt"])).toBe(nextMorning(Date.now()));
    await begin(eve, "two");
    expect(await sent(ada)).toEqual([{ kinds: ["comment", "comment"], isDigest: true, texts: [] }]);
    expect(Number((await queued(ada))[0]?.["dueAt"])).toBe(nextMorning(Date.now()));
    await begin(eve, "three");
    expect(await queued(ada)).toHaveLength(1);
    expect(await sent(ada)).toEqual([{ kinds: ["comment"], isDigest: true, texts: [] }]);
    expect(await sent(ada)).toEqual([]);
    expect(await queued(ada)).toEqual([]);
  });

  it("gives a digest to one app server, and to another one after its lease", async () => {
    await begin(eve, "one");
    for (const { _id } of await queued(ada)) await patch("mails", _id, { dueAt: 0 });
    const both = await Promise.all([claim(), claim()]);
    expect(both.flat().filter(({ content }) => "notification" in content && content.notification.userId === ada.userId)).toHaveLength(1);
    expect(await claimed(ada)).toHaveLength(1);
  });

  it("counts the notices that a digest does not list", async () => {
    await begin(eve, "one");
    const row = { userId: ada.userId, notice: { kind: "comment", actorId: eve.userId, itemId: image, threadId: "x" }, at: Date.now() };
    await backend.inside.mutation(probe.insertMany, {
      table: "notices",
      rows: Array.from({ length: 55 }, () => ({ ...row, read: false })),
    });
    const [{ mail } = { mail: null }] = await claimed(ada);
    expect([mail?.notices.length, mail?.more]).toEqual([50, 6]);
  });

  it("moves a waiting digest to the morning of the person's time zone", async () => {
    await begin(eve, "one");
    const place = { timeZone: "Asia/Tokyo", locale: "ja" };
    await server.mutation(api.accounts.mine.noteActivity, { sessionId: ada.sessionId, ...place });
    expect(Number((await queued(ada))[0]?.["dueAt"])).toBe(nextMorning(Date.now(), "Asia/Tokyo"));
    expect((await claimed(ada))[0]?.mail).toMatchObject(place);
    expect(await ada.query(settings.get, {})).toMatchObject({ timeZone: "Asia/Tokyo" });
  });

  it("lists notices of a muted project as read, and emails none", async () => {
    await eve.mutation(settings.setMuted, { projectId: project, isMuted: true });
    await answer(ada, await begin(eve, "Start"), `Reply ${mention(eve)}`);
    await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role: "commenter" });
    expect([await unread(eve), await queued(eve)]).toEqual([0, []]);
    expect((await notices(eve)).map(({ kind, read }) => [kind, read])).toEqual([
      ["accessChanged", true],
      ["mention", true],
    ]);
    expect(await eve.query(settings.isMuted, { projectId: project })).toBe(true);
    expect((await eve.query(settings.get, {})).muted).toEqual([{ projectId: project, project: "Shared" }]);
    await eve.mutation(settings.setMuted, { projectId: project, isMuted: false });
    expect((await eve.query(settings.get, {})).muted).toEqual([]);
    await answer(ada, await begin(eve, "Again"), "Reply");
    expect(await unread(eve)).toBe(1);
  });

  it("stores choices per kind, and ends a kind or the digest with one click", async () => {
    await choose(eve, { comment: "now" });
    await choose(eve, { reply: "daily" });
    const chosen = async () => (await eve.query(settings.get, {})).deliveries;
    expect(await chosen()).toMatchObject({ comment: "now", reply: "daily", reviewGiven: "daily", mention: "now" });
    await server.mutation(settings.end, { userId: eve.userId, from: "mention" });
    await server.mutation(settings.end, { userId: eve.userId, from: "digest" });
    expect(await chosen()).toMatchObject({ comment: "now", reply: "never", reviewGiven: "never", mention: "never" });
    await server.mutation(settings.end, { userId: "nobody", from: "mention" });
    expect(await rowsOf(backend, "notificationSettings", "userId", "nobody")).toEqual([]);
  });

  it("emails at most ten notices of one person in an hour", { tags: "@mails-per-person" }, async () => {
    for (let each = 0; each < 12; each += 1) {
      const role = each % 2 === 0 ? ("viewer" as const) : ("editor" as const);
      await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role });
    }
    expect((await notices(eve)).filter(({ kind }) => kind === "accessChanged")).toHaveLength(12);
    expect(await queued(eve)).toHaveLength(10);
  });

  it("notifies of a changed role and of the removal, with the project's name", async () => {
    await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role: "viewer" });
    expect(await notices(eve)).toMatchObject([{ change: "role", access: { actor: "ada", project: "Shared", role: "viewer" } }]);
    await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role: "viewer" });
    await ada.mutation(api.members.remove, { projectId: project, userId: eve.userId });
    await ada.mutation(api.projects.rename, { id: project, name: "Secret" });
    const [removed, role] = await notices(eve);
    expect([removed?.access?.project, role?.access]).toEqual(["Shared", undefined]);
    expect(await sent(eve)).toEqual([atOnce(["accessChanged"])]);
  });

  it("notifies members once, without names, of projects deleted with their owner", async () => {
    const second = await ada.mutation(api.projects.create, { name: "Second" });
    await addMember(backend, second, eve, "viewer");
    const where = [equals("id", ada.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await notices(eve)).toMatchObject([{ change: "removed", access: { actor: "Deleted user", project: "" } }]);
    expect(await sent(eve)).toEqual([atOnce(["accessChanged"])]);
  });

  it("notifies of a transfer that is offered, declined and accepted", async () => {
    const offer = () => server.mutation(api.transfers.offer, { sessionId: ada.sessionId, projectId: project, userId: eve.userId });
    const transferId = async () => (await eve.query(api.transfers.listOffered, {}))[0]?._id ?? "";
    await offer();
    expect([await unread(eve), await notices(eve)]).toEqual([1, []]);
    expect(await sent(eve)).toEqual([atOnce(["accessChanged"])]);
    await eve.mutation(api.transfers.decline, { transferId: await transferId() });
    expect(await notices(ada)).toMatchObject([{ change: "transferDeclined", access: { actor: "eve" } }]);
    await offer();
    await ada.mutation(api.transfers.cancel, { projectId: project });
    expect([await unread(eve), await sent(eve)]).toEqual([0, []]);
    await offer();
    await eve.mutation(api.transfers.accept, { transferId: await transferId() });
    expect((await notices(ada))[0]).toMatchObject({ change: "transferAccepted", access: { actor: "eve", project: "Shared" } });
    expect(await unread(eve)).toBe(0);
  });

  const invite = ({ userId }: Person, isMailed = true) =>
    server.mutation(api.invitations.invite, {
      sessionId: ada.sessionId,
      projectId: project,
      email: `${userId}@example.com`.toLowerCase(),
      role: "commenter",
      tokenHash: randomUUID(),
      isMailed,
    });

  it("notifies a verified account of an invitation, which it accepts without the token", async () => {
    const bob = await signUp(backend, "bob");
    expect(await invite(bob)).toMatchObject({ account: { userId: bob.userId, isMailed: true } });
    expect(await queued(bob)).toEqual([]);
    const [shown] = await notices(bob);
    expect(shown).toMatchObject({ kind: "invitation", read: false, access: { actor: "ada", project: "Shared", role: "commenter" } });
    const invitationId = shown?.kind === "invitation" ? shown.invitationId : "";
    expect(await eve.query(api.invitations.findOwn, { invitationId })).toBeNull();
    expect(await bob.query(api.invitations.findOwn, { invitationId })).toMatchObject({ project: "Shared", owner: "ada" });
    const accept = ({ sessionId }: Person) => server.mutation(api.invitations.accept, { sessionId, invitationId });
    expect(await refused(accept(eve))).toEqual({ code: "not_found" });
    expect(await accept(bob)).toEqual({ projectId: project, project: "Shared" });
    expect(await unread(bob)).toBe(0);
  });

  it("delivers an invitation as chosen, and deletes its notice when revoked", async () => {
    const bob = await signUp(backend, "bob");
    await choose(bob, { invitation: "never" });
    expect(await invite(bob)).toMatchObject({ account: { isMailed: false } });
    expect(await queued(bob)).toEqual([]);
    await choose(bob, { invitation: "daily" });
    expect(await invite(bob)).toMatchObject({ account: { isMailed: false } });
    expect(await unread(bob)).toBe(1);
    expect(await claimed(bob)).toMatchObject([{ mail: { isDigest: true, notices: [{ access: { project: "Shared" } }] } }]);
    const [{ _id: invitationId } = { _id: "" }] = await ada.query(api.invitations.list, { projectId: project });
    await ada.mutation(api.invitations.revoke, { projectId: project, invitationId });
    expect(await notices(bob)).toMatchObject([{ access: undefined }, { access: undefined }]);
    expect(await claimed(bob)).toEqual([]);
  });

  it("notifies of an invitation only verified accounts of a server with email", async () => {
    const bob = await signUp(backend, "bob");
    await invite(bob, false);
    const [user] = await rowsOf(backend, "users", "id", bob.userId);
    await patch("users", user?.["_id"], { emailVerified: false });
    expect(await invite(bob)).not.toHaveProperty("account");
    expect(await notices(bob)).toEqual([]);
  });

  it("returns only kinds that pages and app servers of an earlier build support", async () => {
    await answer(eve, await begin(ada, "Start"), "Reply");
    await begin(eve, "Thread");
    expect((await ada.query(api.notices.list, {})).map(({ notice }) => notice.kind)).toEqual(["reply"]);
    await patch("mails", (await queued(ada))[0]?._id, { dueAt: 0 });
    const earlier = await server.mutation(api.accounts.mail.claim, { lease: "old", leaseMs: HOUR, limit: 100 });
    expect(earlier.filter(({ content }) => !("sealed" in content || "notice" in content))).toEqual([]);
    expect((await queued(ada)).map(({ lease }) => lease)).toEqual([undefined, undefined]);
  });

  it("deletes mutes and notices of a purged project", async () => {
    await eve.mutation(settings.setMuted, { projectId: project, isMuted: true });
    const bob = await signUp(backend, "bob");
    await addMember(backend, project, bob, "viewer");
    await ada.mutation(api.members.remove, { projectId: project, userId: bob.userId });
    await ada.mutation(api.projects.moveToTrash, { id: project });
    await ada.mutation(api.trash.purge, { id: project });
    await backend.settle();
    expect([await rowsOf(backend, "mutedProjects", "userId", eve.userId), await notices(bob)]).toEqual([[], []]);
  });

  it("notifies nobody of a thread that was deleted before the job", async () => {
    const thread = await begin(ada, "Start");
    await ada.mutation(comments.remove, { commentId: await firstOf(ada, thread) });
    await backend.inside.mutation(internal.jobs.notifications.tellOfThread, { threadId: thread, cursor: null });
    await backend.settle();
    expect(await unread(eve)).toBe(0);
  });
});
