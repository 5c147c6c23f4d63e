import { startApp } from "../../harness/app.ts";
import type { Mailbox } from "../../harness/services/mailbox.ts";
import { mailboxOfWorker } from "../../harness/services/servers.ts";
import { test as base } from "../../harness/test.ts";

export const test = base.extend<object, { mailbox: Mailbox }>({
  mailbox: mailboxOfWorker,
  app: [
    async ({ mailbox }, use) => {
      const app = await startApp({ SMTP_URL: mailbox.url, MAIL_FROM: "Atelier <atelier@example.com>" });
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],
});
