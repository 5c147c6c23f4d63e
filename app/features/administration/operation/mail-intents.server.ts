import { z } from "zod";
import { accountIntent } from "~/features/accounts/account-action.server";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { mailLifetime } from "~/features/accounts/mail/queue.server";
import { sealMessage } from "~/features/accounts/mail/seal.server";
import { Rejection } from "~/features/accounts/rejection.server";
import { convexFor } from "~/lib/data/convex.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { runAsAdministrator } from "../administrator-action.server";

export const mailIntents = {
  sendTestMail: accountIntent({
    schema: z.object({}),
    async run(_, request) {
      const config = request.context.get(configContext);
      if (mailProviderLink(config) === null)
        throw new Rejection("This installation does not send email. Set SMTP_URL first.", { status: 422, code: "NO_MAIL" });
      const { value: me } = await convexFor(request.context).preload(api.accounts.mine.getMe, {});
      const message = { kind: "test" as const, to: me.email, name: me.name, url: `${config.publicUrl}/admin/mail` };
      const expiresAt = Date.now() + mailLifetime(message.kind);
      await runAsAdministrator(request, api.admin.mail.queueTest, { sealed: sealMessage(config, message), expiresAt });
      return { done: "test-mail-queued" };
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    administeredMail: typeof mailIntents;
  }
}
