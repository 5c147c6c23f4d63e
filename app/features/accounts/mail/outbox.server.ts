import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import { mailContentOf } from "./messages";
import { renderMail } from "./template";
import { mailProviderLink } from "./mail-provider-link";
import { messageOf } from "./worker.server";

export async function readOutbox(config: AppConfig) {
  if (mailProviderLink(config) !== "outbox") return null;
  const rows = await serviceConvex(config).query(api.accounts.mail.listQueued, {});
  return rows.flatMap(({ id, writtenAt, content: stored }) => {
    const message = messageOf(config, stored);
    const content = message && mailContentOf(message);
    return content ? [{ id, writtenAt, url: content.link?.url, ...renderMail(content) }] : [];
  });
}
