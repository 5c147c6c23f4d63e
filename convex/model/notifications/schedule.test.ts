import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { appServer, type Backend, type Caller, type Person } from "../../../tests/convex/backends.ts";
import { convexTestBackend } from "../../../tests/convex/convex-test.ts";
import { rowsOf, shareProject } from "../../../tests/convex/shared-project.ts";
import { api } from "../../_generated/api";

const { comments } = api;
const lease = { lease: "a", leaseMs: 60_000, limit: 100 };

let backend: Backend;
let server: Caller;
let ada: Person;
let eve: Person;
let image: string;
let threadId: string;
beforeAll(async () => {
  backend = await convexTestBackend();
  server = await appServer(backend);
});
afterAll(() => backend.close());
beforeEach(async () => {
  ({ ada, eve, image } = await shareProject(backend, "commenter"));
  stopAt("26T09:00:00");
  threadId = await eve.mutation(comments.startThread, { itemId: image, text: "Start", key: randomUUID() });
  await settle();
});
afterEach(() => {
  vi.useRealTimers();
});

const stopAt = (time: string) => vi.useFakeTimers({ toFake: ["Date"], now: new Date(`2026-11-${time}Z`) });

async function settle(): Promise<void> {
  const now = Date.now();
  await backend.settle();
  vi.useFakeTimers({ toFake: ["Date"], now });
}

const at = (time: string) => vi.setSystemTime(new Date(`2026-11-${time}Z`));
const reply = (text: string) => ada.mutation(comments.reply, { threadId, text, key: randomUUID() });

async function sent({ userId }: Person) {
  const claimed = await server.mutation(api.accounts.mail.claimAll, lease);
  const own = [];
  for (const { id, content } of claimed) {
    await server.mutation(api.accounts.mail.done, { id, lease: "a" });
    if (!("notification" in content) || content.notification.userId !== userId) continue;
    const { isDigest, notices, comments: shown } = content.notification;
    own.push(isDigest ? notices.length : shown.map(({ text }) => text));
  }
  return own;
}

it("sends an email ten seconds after a reply, and the next one an hour later", async () => {
  await reply("one");
  at("26T09:00:09");
  expect(await sent(eve)).toEqual([]);
  at("26T09:00:10");
  expect(await sent(eve)).toEqual([["one"]]);
  at("26T09:30:00");
  await reply("two");
  at("26T10:00:09");
  await reply("three");
  expect(await sent(eve)).toEqual([]);
  at("26T10:00:10");
  expect(await sent(eve)).toEqual([["two", "three"]]);
  at("26T11:00:10");
  expect(await sent(eve)).toEqual([]);
  at("26T11:30:00");
  await reply("four");
  at("26T11:30:10");
  expect(await sent(eve)).toEqual([["four"]]);
});

it("omits from an email what was read before it was due", async () => {
  await reply("one");
  at("26T09:00:10");
  await sent(eve);
  await reply("two");
  await eve.mutation(comments.markRead, { itemId: image });
  at("26T09:45:00");
  await reply("three");
  at("26T10:00:10");
  expect(await sent(eve)).toEqual([["three"]]);
});

it("sends a digest each morning while there is something new", async () => {
  await eve.mutation(comments.startThread, { itemId: image, text: "Second", key: randomUUID() });
  await settle();
  at("27T07:59:59");
  expect(await sent(ada)).toEqual([]);
  at("27T08:00:00");
  expect(await sent(ada)).toEqual([2]);
  at("27T12:00:00");
  await eve.mutation(comments.startThread, { itemId: image, text: "Third", key: randomUUID() });
  await settle();
  at("28T08:00:00");
  expect(await sent(ada)).toEqual([1]);
  at("29T08:00:00");
  expect(await sent(ada)).toEqual([]);
  expect(await rowsOf(backend, "mails", "userId", ada.userId)).toEqual([]);
});

it("sends no digest of what was read in the browser", async () => {
  at("26T20:00:00");
  await ada.mutation(api.notices.markAllRead, {});
  at("27T08:00:00");
  expect(await sent(ada)).toEqual([]);
  expect(await rowsOf(backend, "mails", "userId", ada.userId)).toEqual([]);
});
