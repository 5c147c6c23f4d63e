import { startApp } from "../../harness/app.ts";
import type { Mailbox } from "../../harness/services/mailbox.ts";
import { mailboxOfWorker } from "../../harness/services/servers.ts";
import { type Answer, type Member, Program } from "./program.ts";
import { expect, test as base } from "./test.ts";

export { expect } from "./test.ts";

type Fixtures = {
  linkTo: (address: string, path: string) => Promise<string>;
  changeLink: (user: Member, newEmail: string) => Promise<string>;
  codeTo: (address: string) => Promise<string>;
  verify: (user: Member) => Promise<unknown>;
  byLink: (user: Member) => Promise<{ program: Program; answer: Answer }>;
};

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

  changeLink: async ({ mailbox }, use) =>
    use(async ({ email }, newEmail) => {
      const link = () => mailbox.for(email).find(({ text }) => text.includes(newEmail))?.link;
      await expect.poll(link, { message: `a mail to ${email} about ${newEmail}` }).toBeDefined();
      return link() ?? "";
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
