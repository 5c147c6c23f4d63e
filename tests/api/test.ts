import { randomUUID } from "node:crypto";
import { test as base } from "@playwright/test";
import { type RunningApp, startApp } from "../harness/app.ts";
import { type SocialServer } from "../harness/oidc.ts";
import { socialOfWorker } from "../harness/servers.ts";
import { type Store, storeOf } from "../harness/store.ts";
import { type Member, member, Program } from "./program.ts";

export { expect } from "@playwright/test";

type Fixtures = {
  /** A program that nobody knows. */
  nobody: Program;
  /** Somebody with a password, signed in. */
  ada: Member;
  /** Somebody else of that kind. */
  bob: Member;
  /** An address that nobody has. */
  freshEmail: string;
};

type Shared = {
  /** The environment variables of this file's app, over those of tests. */
  settings: Record<string, string>;
  social: SocialServer;
  app: RunningApp;
  /** What the app keeps, for tests that must look behind it or let time pass. */
  store: Store;
};

/** Tests of the auth API: a running app with two social providers, programs, and no browser. */
export const test = base.extend<Fixtures, Shared>({
  settings: [{}, { option: true, scope: "worker" }],
  social: socialOfWorker,
  app: [
    async ({ social, settings }, use) => {
      const app = await startApp({ ...social.settings, ...settings });
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],
  store: [async ({ app }, use) => use(await storeOf(app)), { scope: "worker" }],

  nobody: async ({ app }, use) => use(new Program(app)),
  ada: async ({ app }, use) => use(await member(app)),
  bob: async ({ app }, use) => use(await member(app)),
  // oxlint-disable-next-line no-empty-pattern -- as above
  freshEmail: async ({}, use) => use(`${randomUUID()}@example.com`),
});
