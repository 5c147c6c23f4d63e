import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { INVITATION_LIFE_MS } from "#convex/model/accounts/invitations";
import { isPlaceholder } from "#convex/model/accounts/placeholder";
import { serviceConvex } from "../session/convex/service-client.server";
import type { Message } from "./messages";
import { sealMessage } from "./seal.server";

const MINUTE = 60_000;

type Queued = Exclude<Message, { kind: "notice" | "notification" }>;

const LIFETIMES: Record<Queued["kind"], number> = {
  resetPassword: 60 * MINUTE,
  verifyEmail: 60 * MINUTE,
  verifyNewEmail: 60 * MINUTE,
  confirmEmailChange: 60 * MINUTE,
  deleteAccount: 24 * 60 * MINUTE,
  signInLink: 5 * MINUTE,
  alreadySignedUp: 24 * 60 * MINUTE,
  code: 5 * MINUTE,
  invitation: INVITATION_LIFE_MS,
  projectInvitation: INVITATION_LIFE_MS,
  linkReport: 24 * 60 * MINUTE,
  test: 60 * MINUTE,
  backupWarning: 24 * 60 * MINUTE,
};

export const mailLifetime = (kind: Queued["kind"]): number => LIFETIMES[kind];

const SENT_AFTER_URGENT: ReadonlySet<Queued["kind"]> = new Set(["invitation", "projectInvitation", "linkReport", "backupWarning"]);

/** Queues a message. Null queues one without a recipient, so that timing reveals no unknown addresses. Placeholders get no email. */
export async function queueMail(config: AppConfig, requested: Queued | null, userId?: string): Promise<void> {
  const message = requested && !isPlaceholder(requested.to) ? atFirstOrigin(requested, config) : null;
  const expiresAt = Date.now() + (message ? LIFETIMES[message.kind] : MINUTE);
  await serviceConvex(config).mutation(
    api.accounts.mail.queue,
    {
      sealed: sealMessage(config, message),
      userId,
      expiresAt,
      ...(!(requested && SENT_AFTER_URGENT.has(requested.kind)) && { isUrgent: true }),
    },
    { skipQueue: true },
  );
}

function atFirstOrigin<M extends Message>(message: M, { origins: [first] }: AppConfig): M {
  if (first === undefined || !("url" in message)) return message;
  const { pathname, search, hash } = new URL(message.url);
  return { ...message, url: first + pathname + search + hash };
}
