import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";
import { letterOf } from "./messages";
import { mailOf } from "./template";
import { mailWay } from "./way";
import { messageOf } from "./worker.server";

/** The mails that stand in for those of a mail server, the newest first; null: there is no outbox here. */
export async function readOutbox(config: AppConfig) {
  if (mailWay(config) !== "outbox") return null;
  const rows = await serviceConvex(config).query(api.accounts.mail.outbox, {});
  return rows.flatMap(({ id, writtenAt, content }) => {
    const message = messageOf(config, content);
    const letter = message && letterOf(message);
    return letter ? [{ id, writtenAt, url: letter.link?.url, ...mailOf(letter) }] : [];
  });
}
