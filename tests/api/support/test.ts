import { randomUUID } from "node:crypto";
import { test as base } from "@playwright/test";
import { type RunningApp, startApp } from "../../harness/app.ts";
import type { SocialServer } from "../../harness/services/oidc.ts";
import { socialOfWorker } from "../../harness/services/servers.ts";
import { type Store, storeOf } from "../../harness/store.ts";
import { type Member, member, Program } from "./program.ts";

export { expect } from "@playwright/test";

type Fixtures = {
  nobody: Program;
  ada: Member;
  bob: Member;
  freshEmail: string;
};

type Shared = {
  settings: Record<string, string>;
  social: SocialServer;
  app: RunningApp;
  store: Store;
};

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
  freshEmail: async ({}, use) => use(`${randomUUID()}@example.com`),
});
