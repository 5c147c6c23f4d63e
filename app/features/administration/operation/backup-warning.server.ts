import type { AppConfig } from "~/config";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { queueMail } from "~/features/accounts/mail/queue.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { api } from "#convex/_generated/api";

/** Queues an email to each administrator. `problem` is null when backups work again. Throws while the deployment is unavailable. */
export async function mailBackupWarning(config: AppConfig, problem: string | null): Promise<void> {
  if (mailProviderLink(config) === null) return;
  const url = `${config.publicUrl}/admin`;
  for (const { id, name, email } of await serviceConvex(config).query(api.accounts.administrators.listRecipients, {}))
    await queueMail(config, { kind: "backupWarning", to: email, name, url, problem }, id);
}
