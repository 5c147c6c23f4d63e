import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { equals } from "../tests/convex/equals.ts";
import { api } from "./_generated/api";
import type { AccountEvent } from "./model/accounts/events";
import type { Notice } from "./model/accounts/noticeTables";

const tellRef = makeFunctionReference<"mutation", { userId: string; event: AccountEvent; at: number }, null>("accounts/notices:tell");
const DAY = 24 * 60 * 60 * 1000;

describe.each(backends)("notices on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const notify = ({ userId }: Person, event: AccountEvent, at = Date.now()) => backend.inside.mutation(tellRef, { userId, event, at });
  const notices = async (person: Person): Promise<Notice[]> => (await person.query(api.notices.getNotices, {})).map(({ notice }) => notice);
  const mails = ({ userId }: Person) => backend.inside.query(probe.rows, { table: "mails", field: "userId", value: userId });
  const session = (device: string | null, userAgent = "Firefox", ipAddress = "192.0.2.1"): AccountEvent => ({
    kind: "sessionMade",
    device,
    userAgent,
    ipAddress,
  });

  it("notifies once of a new device, but not of the first or known ones", async () => {
    const ada = await signUp(backend, "ada");
    await notify(ada, session("laptop"));
    await notify(ada, session("laptop"));
    expect(await notices(ada)).toEqual([]);
    await notify(ada, session("phone", "Safari", "192.0.2.2"));
    await notify(ada, session("phone", "Safari", "192.0.2.2"));
    expect(await notices(ada)).toEqual([{ kind: "signIn", userAgent: "Safari", ipAddress: "192.0.2.2" }]);
    expect((await mails(ada)).map(({ content }) => content)).toMatchObject([{ to: expect.stringContaining("@example.com") }]);
  });

  it("notifies once a day without cookies, and never of internal sessions", async () => {
    const ada = await signUp(backend, "ada");
    const now = Date.now();
    await notify(ada, session("first"), now - 3 * DAY);
    await notify(ada, session("second", "curl"), now - 2 * DAY);
    await notify(ada, session("third", "curl"), now - 2 * DAY + 1);
    await notify(ada, session("fourth", "curl", "192.0.2.9"), now - 2 * DAY + 2);
    await notify(ada, session("fifth", "curl"), now);
    await notify(ada, session(null, "curl"), now);
    expect((await notices(ada)).map((each) => each.kind === "signIn" && each.ipAddress)).toEqual(["192.0.2.1", "192.0.2.9", "192.0.2.1"]);
  });

  it("stores a limited number of devices", async () => {
    const ada = await signUp(backend, "ada");
    for (let each = 0; each < 60; each++) await notify(ada, session(`device${each}`));
    expect(await backend.inside.query(probe.rows, { table: "devices", field: "userId", value: ada.userId })).toHaveLength(50);
  });

  it(
    "notifies about account changes; a changed address also at the old one",
    { tags: "@tells-what-changed-account-loss-address" },
    async () => {
      const ada = await signUp(backend, "ada");
      const add = (providerId: string) =>
        server.mutation(api.accounts.store.create, {
          model: "accounts",
          data: {
            id: `${providerId}${ada.userId}`,
            userId: ada.userId,
            providerId,
            accountId: `${providerId}${ada.userId}`,
            createdAt: 0,
            updatedAt: 0,
          },
        });
      await add("github");
      await backend.settle();
      expect(await notices(ada)).toEqual([]);
      await add("google");
      await backend.settle();
      await add("credential");
      await backend.settle();
      await server.mutation(api.accounts.store.update, {
        model: "accounts",
        where: [equals("id", `credential${ada.userId}`)],
        update: { password: "hash" },
      });
      await backend.settle();
      await server.mutation(api.accounts.store.update, {
        model: "users",
        where: [equals("id", ada.userId)],
        update: { email: `${ada.userId}@new.example.com` },
      });
      await backend.settle();
      expect(await notices(ada)).toEqual([
        { kind: "emailChanged", from: `${ada.userId}@example.com`, to: `${ada.userId}@new.example.com` },
        { kind: "passwordChanged" },
        { kind: "passwordAdded" },
        { kind: "providerLinked", providerId: "google" },
      ]);
      expect((await mails(ada)).map(({ content }) => content)).toMatchObject([{}, {}, {}, { to: `${ada.userId}@example.com` }]);
    },
  );

  it("lists unread notices first, counts them and marks them as read", async () => {
    const ada = await signUp(backend, "ada");
    const bob = await signUp(backend, "bob");
    for (const kind of ["passwordChanged", "twoFactorChanged", "passwordChanged"] as const) {
      await notify(ada, kind === "twoFactorChanged" ? { kind, enabled: true } : { kind });
    }
    const [newest, middle] = await ada.query(api.notices.getNotices, {});
    expect(await ada.query(api.notices.getUnreadCount, {})).toBe(3);
    expect(await refused(bob.mutation(api.notices.markRead, { id: newest?._id ?? "" }))).toEqual({ code: "not_found" });
    expect(await refused(ada.mutation(api.notices.markRead, { id: "nonsense" }))).toEqual({ code: "not_found" });
    await bob.mutation(api.notices.markAllRead, {});
    expect(await ada.query(api.notices.getUnreadCount, {})).toBe(3);

    await ada.mutation(api.notices.markRead, { id: middle?._id ?? "" });
    expect((await ada.query(api.notices.getNotices, {})).map(({ notice, read }) => [notice.kind, read])).toEqual([
      ["passwordChanged", false],
      ["passwordChanged", false],
      ["twoFactorEnabled", true],
    ]);
    await ada.mutation(api.notices.markAllRead, {});
    expect(await ada.query(api.notices.getUnreadCount, {})).toBe(0);
  });

  it("lists each notice once across pages, despite equal times and new marks", async () => {
    const ada = await signUp(backend, "ada");
    for (let each = 0; each < 205; each++) {
      const row = { userId: ada.userId, notice: { kind: "passwordChanged" }, at: 1000 + Math.floor(each / 7), read: each < 60 };
      await backend.inside.mutation(probe.insert, { table: "notices", row });
    }
    const first = await ada.query(api.notices.getNotices, {});
    expect(first).toHaveLength(101);
    const seen = first.slice(0, 100);
    for (let pages = 0; pages < 2; pages++) {
      const last = seen.at(-1);
      if (!last) throw new Error("There is none");
      const page = await ada.query(api.notices.getNotices, { after: { id: last._id, at: last.at, read: last.read } });
      seen.push(...page.slice(0, 100));
    }
    expect(seen).toHaveLength(205);
    expect(new Set(seen.map(({ _id }) => _id)).size).toBe(205);
    expect(seen.findIndex(({ read }) => read)).toBe(145);
    const [gone, next] = [seen[20], seen[21]];
    await ada.mutation(api.notices.markRead, { id: gone?._id ?? "" });
    const after = { id: gone?._id ?? "", at: gone?.at ?? 0, read: false };
    const rest = await ada.query(api.notices.getNotices, { after });
    expect(rest.every(({ at, read }) => read || at <= (next?.at ?? 0))).toBe(true);
  });

  it("deletes the notices of a deleted account and adds none", async () => {
    const ada = await signUp(backend, "ada");
    await notify(ada, session("laptop"));
    await notify(ada, { kind: "passwordChanged" });
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where: [equals("id", ada.userId)] });
    await backend.settle();
    await notify(ada, { kind: "passwordChanged" });
    for (const table of ["notices", "devices", "mails"]) {
      expect([table, await backend.inside.query(probe.rows, { table, field: "userId", value: ada.userId })]).toEqual([table, []]);
    }
  });
});
