import { randomUUID } from "node:crypto";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { APP_USER, startApp } from "../harness/app.ts";
import { storeOf } from "../harness/store.ts";
import { expect, test } from "./mailed.ts";
import { type Answer, member, Program } from "./program.ts";

/** Whether an account exists: told by nothing that is answered, and by nothing that is done for it. */

test("is told by no status, body or header of sign-in, reset, sign-in link, code and resend", async ({ app, ada }) => {
  const ask: [path: string, more?: object][] = [
    ["/sign-in/email", { password: "not this one" }],
    ["/request-password-reset", { redirectTo: "/reset-password" }],
    ["/forget-password", { redirectTo: "/reset-password" }],
    ["/sign-in/magic-link"],
    ["/email-otp/send-verification-otp", { type: "sign-in" }],
    ["/send-verification-email"],
  ];
  for (const [path, more] of ask) {
    const shape = ({ status, body, headers }: Answer) => ({ status, body, headers: [...headers.keys()] });
    const known = shape(await new Program(app).post(path, { email: ada.email, ...more }));
    const unknown = shape(await new Program(app).post(path, { email: `${randomUUID()}@example.com`, ...more }));
    expect(unknown, path).toEqual(known);
  }
});

test("is told by no work that is done for it: the same calls of the deployment and hashes of passwords", async ({ mailbox }) => {
  test.slow();
  const folder = await mkdtemp(join(tmpdir(), "atelier-calls-"));
  if (APP_USER.uid !== undefined) await chown(folder, APP_USER.uid, APP_USER.gid);
  const counted = join(folder, "calls");
  const preload = `--import ${new URL("../harness/count-calls.ts", import.meta.url)}`;
  // Where a sign-up is to tell nothing, too.
  const neutral = { ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" };
  const app = await startApp({ ...neutral, SMTP_URL: mailbox.url, NODE_OPTIONS: preload, COUNTED_CALLS: counted });
  try {
    const [ada, bob] = [await member(app), await member(app)];
    await (await storeOf(app)).change("users", { id: bob.id }, { emailVerified: true });
    // The mails that are written are sent meanwhile, and notices told: that is nobody's request.
    const done = async () => (await readFile(counted, "utf8")).split("\n").filter((call) => /^(store:|mail:queue|scrypt)/.test(call));
    const ask: [path: string, more?: object][] = [
      ["/sign-in/email", { password: "not this one" }],
      ["/request-password-reset", { redirectTo: "/reset-password" }],
      ["/forget-password", { redirectTo: "/reset-password" }],
      ["/sign-in/magic-link"],
      ["/send-verification-email"],
      ["/email-otp/send-verification-otp", { type: "sign-in" }],
      ["/email-otp/request-password-reset"],
      // What was just asked for, guessed until there were too many guesses.
      ...Array.from({ length: 5 }, (): [string, object] => ["/sign-in/email-otp", { otp: "wrong" }]),
      ["/email-otp/check-verification-otp", { type: "sign-in", otp: "wrong" }],
      ["/email-otp/reset-password", { otp: "wrong", password: "a fine password" }],
      // Last, since from then on the unknown one is known.
      ["/sign-up/email", { name: "Eve", password: "a fine password" }],
    ];
    const unknown = `${randomUUID()}@example.com`;
    for (const [path, more] of ask) {
      const seen = [];
      for (const email of [ada.email, bob.email, unknown]) {
        const before = (await done()).length;
        const { status, body } = await new Program(app).post(path, { email, ...more });
        const work = (await done()).slice(before);
        // Of what is written for a sign-up, a person or what stands in for one, the table does not tell: only how much it is.
        const alike = path === "/sign-up/email" ? work.map((call) => call.replace(/^(store:create) .*/, "$1")) : work;
        seen.push({ status, body: masked(body, email), work: alike.toSorted() });
      }
      expect(seen[0]?.work, `${path} did ${JSON.stringify(seen)}`).not.toEqual([]);
      expect([seen[1], seen[2]], path).toEqual([seen[0], seen[0]]);
    }
  } finally {
    await app.dispose();
    await rm(folder, { recursive: true });
  }
});

/** An answer without what is each person's own. */
const masked = (body: unknown, email: string) =>
  JSON.stringify(body)
    .replaceAll(email, "…")
    .replaceAll(/"(id|createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"');
