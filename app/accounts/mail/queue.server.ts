import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { isPlaceholder } from "#convex/accounts/placeholder";
import { serviceConvex } from "../service.server";
import type { Message } from "./messages";
import { seal } from "./seal.server";

const MINUTE = 60_000;

/** How long a message is worth sending: as long as what it carries works. */
const LIFE: Record<Exclude<Message["kind"], "notice">, number> = {
  resetPassword: 60 * MINUTE,
  verifyEmail: 60 * MINUTE,
  verifyNewEmail: 60 * MINUTE,
  confirmEmailChange: 60 * MINUTE,
  deleteAccount: 24 * 60 * MINUTE,
  signInLink: 5 * MINUTE,
  alreadySignedUp: 24 * 60 * MINUTE,
  code: 5 * MINUTE,
};

/**
 * Puts a message into the queue, from where a worker sends it. Null writes a message to nobody: the same work for an address that nobody has,
 * so that time does not tell which these are; and an address that only stands in for one has no mailbox.
 */
export async function queueMail(config: AppConfig, wanted: Exclude<Message, { kind: "notice" }> | null, userId?: string): Promise<void> {
  const message = wanted && !isPlaceholder(wanted.to) ? wanted : null;
  const expiresAt = Date.now() + (message ? LIFE[message.kind] : MINUTE);
  await serviceConvex(config).mutation(api.accounts.mail.queue, { sealed: seal(config, message), userId, expiresAt }, { skipQueue: true });
}
