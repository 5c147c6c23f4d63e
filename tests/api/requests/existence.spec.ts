import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../harness/app.ts";
import { storeOf } from "../../harness/store.ts";
import { expect, test } from "../support/mailed.ts";
import { type Answer, member, Program } from "../support/program.ts";

test("no status, body or header of an account call reveals who has an account", async ({ app, ada }) => {
  const calls: [path: string, more?: object][] = [
    ["/sign-in/email", { password: "not this one" }],
    ["/request-password-reset", { redirectTo: "/reset-password" }],
    ["/forget-password", { redirectTo: "/reset-password" }],
    ["/sign-in/magic-link"],
    ["/email-otp/send-verification-otp", { type: "sign-in" }],
    ["/send-verification-email"],
  ];
  for (const [path, more] of calls) {
    const shape = ({ status, body, headers }: Answer) => ({ status, body, headers: [...headers.keys()] });
    const known = shape(await new Program(app).post(path, { email: ada.email, ...more }));
    const unknown = shape(await new Program(app).post(path, { email: `${randomUUID()}@example.com`, ...more }));
    expect(unknown, path).toEqual(known);
  }
});

test(
  "makes the same deployment calls and password hashes without an account",
  { tag: ["@revealed-no-difference-deployment-calls-password", "@slow"] },
  async ({ mailbox }) => {
    test.slow();
    const folder = await mkdtemp(join(tmpdir(), "atelier-calls-"));
    const counted = join(folder, "calls");
    const preload = `--import ${new URL("../../harness/preloads/count-calls.ts", import.meta.url)}`;
    const neutral = { ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" };
    const app = await startApp({ ...neutral, SMTP_URL: mailbox.url, NODE_OPTIONS: preload, DATA_DIR: folder, COUNTED_CALLS: counted });
    try {
      const [ada, bob] = [await member(app), await member(app)];
      await (await storeOf(app)).change("users", { id: bob.id }, { emailVerified: true });
      const done = async () => (await readFile(counted, "utf8")).split("\n").filter((call) => /^(store:|mail:queue|scrypt)/.test(call));
      const calls: [path: string, more?: object][] = [
        ["/sign-in/email", { password: "not this one" }],
        ["/request-password-reset", { redirectTo: "/reset-password" }],
        ["/forget-password", { redirectTo: "/reset-password" }],
        ["/sign-in/magic-link"],
        ["/send-verification-email"],
        ["/email-otp/send-verification-otp", { type: "sign-in" }],
        ["/email-otp/request-password-reset"],
        ...Array.from({ length: 5 }, (): [string, object] => ["/sign-in/email-otp", { otp: "wrong" }]),
        ["/email-otp/reset-password", { otp: "wrong", password: "a fine password" }],
        ["/sign-up/email", { name: "Eve", password: "a fine password" }],
      ];
      const unknown = `${randomUUID()}@example.com`;
      for (const [path, more] of calls) {
        const seen = [];
        for (const email of [ada.email, bob.email, unknown]) {
          const before = (await done()).length;
          const { status, body } = await new Program(app).post(path, { email, ...more });
          const work = (await done()).slice(before);
          // A sign-up writes a user, or a row of equal cost in another table.
          const alike = path === "/sign-up/email" ? work.map((call) => call.replace(/^store:(create|commit) .*/, "write")) : work;
          seen.push({ status, body: masked(body, email), work: alike.toSorted() });
        }
        expect(seen[0]?.work, `${path} did ${JSON.stringify(seen)}`).not.toEqual([]);
        expect([seen[1], seen[2]], path).toEqual([seen[0], seen[0]]);
      }
    } finally {
      await app.dispose();
      await rm(folder, { recursive: true });
    }
  },
);

const masked = (body: unknown, email: string) =>
  JSON.stringify(body)
    .replaceAll(email, "…")
    .replaceAll(/"(id|createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"');
