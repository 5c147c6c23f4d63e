import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type Person, probe } from "../../../../tests/convex/backends.ts";
import { startAppBackend } from "../../../../tests/convex/app-backend.ts";
import { rowsOf, shareProject } from "../../../../tests/convex/shared-project.ts";
import { type Mailbox, startMailbox } from "../../../../tests/harness/services/mailbox.ts";
import { api } from "#convex/_generated/api";
import { smtpTransport } from "./transport.server";
import { type MailWorker, startMailWorker } from "./worker.server";

const { comments } = api;

let started: Awaited<ReturnType<typeof startAppBackend>>;
let mailbox: Mailbox;
let workers: MailWorker[];
let ada: Person;
let eve: Person;
let image: string;
beforeAll(async () => {
  started = await startAppBackend();
  mailbox = await startMailbox();
  const config = { ...started.config, publicUrl: "https://atelier.example", smtpUrl: mailbox.url };
  workers = [1, 2].map(() => startMailWorker(config, smtpTransport({ smtpUrl: mailbox.url, from: config.mailFrom })));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  await mailbox.close();
  await started.close();
});
beforeEach(async () => {
  ({ ada, eve, image } = await shareProject(started.backend, "commenter"));
});

const start = (person: Person, text: string) => person.mutation(comments.startThread, { itemId: image, text, key: randomUUID() });
const queued = ({ userId }: Person) => rowsOf(started.backend, "mails", "userId", userId);
const received = ({ userId }: Person) => mailbox.for(`${userId}@example.com`);

async function makeDue(person: Person): Promise<void> {
  await started.backend.settle();
  for (const { _id } of await queued(person))
    await started.backend.inside.mutation(probe.patch, { table: "mails", id: String(_id), fields: { dueAt: Date.now() } });
}

it("emails a reply with its text, its link and the one-click headers", async () => {
  const threadId = await start(eve, "Larger?");
  await ada.mutation(comments.reply, { threadId, text: "**No**\nThanks", key: randomUUID() });
  await makeDue(eve);
  await vi.waitFor(() => expect(received(eve)).toHaveLength(1), 60_000);
  const [mail] = received(eve);
  expect(mail?.subject).toBe("ada replied to a comment on “fig” · Atelier");
  expect(mail?.text.replaceAll("\r", "")).toContain("ada:\n> **No**\n> Thanks");
  expect(mail?.link).toMatch(new RegExp(`^https://atelier\\.example/design/\\w+/images/\\w+/comments\\?thread=${threadId}$`));
  expect(mail?.headers).toMatch(/^List-Unsubscribe:\s+<https:\/\/atelier\.example\/unsubscribe\?token=[\w-]+>$/m);
  expect(mail?.headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
});

it("sends one digest with several app servers", async () => {
  for (const text of ["one", "two"]) await start(eve, text);
  await makeDue(ada);
  await vi.waitFor(() => expect(received(ada)).toHaveLength(1), 60_000);
  const [digest] = received(ada);
  expect(digest?.subject).toBe("Daily digest: 2 notifications · Atelier");
  expect(digest?.text).toContain("eve commented on “fig”.");
  expect(digest?.text).not.toMatch(/one|two/);
  await vi.waitFor(async () => expect(await queued(ada)).toMatchObject([{ attempts: 0 }]), 60_000);
  await makeDue(ada);
  await vi.waitFor(async () => expect(await queued(ada)).toEqual([]), 60_000);
  expect(received(ada)).toHaveLength(1);
});
