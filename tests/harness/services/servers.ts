import type { WorkerFixture } from "@playwright/test";
import { startIssuer, type TestIssuer } from "./issuer.ts";
import { type Mailbox, startMailbox } from "./mailbox.ts";
import { type SocialServer, startSocialServer } from "./oidc.ts";

type OfWorker<Value> = [WorkerFixture<Value, object>, { scope: "worker" }];

const server = <Server extends { close(): Promise<unknown> }>(start: () => Promise<Server>): OfWorker<Server> => [
  async ({}, use) => {
    const started = await start();
    await use(started);
    await started.close();
  },
  { scope: "worker" },
];

export const mailboxOfWorker: OfWorker<Mailbox> = server(() => startMailbox());

export const issuerOfWorker: OfWorker<TestIssuer> = server(() => startIssuer());

export const socialOfWorker: OfWorker<SocialServer> = server(() => startSocialServer());
