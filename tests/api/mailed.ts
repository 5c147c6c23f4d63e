import { startApp } from "../harness/app.ts";
import type { Mailbox } from "../harness/mailbox.ts";
import { mailboxOfWorker } from "../harness/servers.ts";
import { type Answer, type Member, Program } from "./program.ts";
import { expect, test as base } from "./test.ts";

export { expect } from "./test.ts";

type Fixtures = {
  /** The newest link of somebody's mails that leads to an address of the auth API. */
  linkTo: (address: string, path: string) => Promise<string>;
  /** The code that a mail brought to somebody. */
  codeTo: (address: string) => Promise<string>;
  /** Says that somebody's address is theirs. */
  verify: (who: Member) => Promise<unknown>;
  /** Signs in by a link: the program that followed it, and what it was answered. */
  byLink: (who: Member) => Promise<{ program: Program; answer: Answer }>;
};

/** Tests of the auth API where mail leaves, and anybody's mailbox can be read: one app for the files that use it. */
export const test = base.extend<Fixtures, { mailbox: Mailbox }>({
  mailbox: mailboxOfWorker,
  app: [
    async ({ social, mailbox, settings }, use) => {
      const app = await startApp({ ...social.settings, SMTP_URL: mailbox.url, ...settings });
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],

  linkTo: async ({ mailbox }, use) =>
    use(async (address, path) => {
      const links = () => mailbox.for(address).flatMap(({ link }) => (link.includes(path) ? [link] : []));
      await expect.poll(() => links().length, { message: `a mail to ${address} with ${path}` }).toBeGreaterThan(0);
      return links().at(-1) ?? "";
    }),

  codeTo: async ({ mailbox }, use) =>
    use(async (address) => {
      const codes = () => mailbox.for(address).flatMap(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? []);
      await expect.poll(() => codes().length, { message: `a mail to ${address} with a code` }).toBeGreaterThan(0);
      return codes()[0] ?? "";
    }),

  verify: async ({ store }, use) => use(({ id }) => store.change("users", { id }, { emailVerified: true })),

  byLink: async ({ app, linkTo }, use) =>
    use(async ({ email }) => {
      const program = new Program(app);
      await program.post("/sign-in/magic-link", { email, callbackURL: "/projects" });
      return { program, answer: await program.get(await linkTo(email, "/magic-link/verify")) };
    }),
});
