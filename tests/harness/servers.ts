import type { WorkerFixture } from "@playwright/test";
import { type Mailbox, startMailbox } from "./mailbox.ts";
import { type SocialServer, startSocialServer } from "./oidc.ts";

type OfWorker<Value> = [WorkerFixture<Value, object>, { scope: "worker" }];

/** A server of the worker's own: started when the first test asks for it, closed when the worker ends. */
const server = <Server extends { close(): Promise<unknown> }>(start: () => Promise<Server>): OfWorker<Server> => [
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are asked for from this pattern
  async ({}, use) => {
    const started = await start();
    await use(started);
    await started.close();
  },
  { scope: "worker" },
];

/** Where an app's mail can be read, for `base.extend({ mailbox: mailboxOfWorker, … })`. */
export const mailboxOfWorker: OfWorker<Mailbox> = server(() => startMailbox());

/** Two providers of sign-in. */
export const socialOfWorker: OfWorker<SocialServer> = server(() => startSocialServer());
