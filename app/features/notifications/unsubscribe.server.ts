import type { AppConfig } from "~/config";
import { openSealedText, sealText } from "~/lib/http/sealed-text.server";
import { isNotificationKind, type NotificationKind } from "#convex/model/notifications/kinds";

export type Subscription = { userId: string; from: NotificationKind | "digest" };

const PURPOSE = "atelier unsubscribe";
export const UNSUBSCRIBE_TOKEN = "token";

/** Returns the address in an email's header `List-Unsubscribe` (RFC 8058). It needs no session and does not expire. */
export function unsubscribeAddress(config: Pick<AppConfig, "secret" | "publicUrl">, { userId, from }: Subscription): string {
  const token = Buffer.from(sealText(config, PURPOSE, `${from} ${userId}`), "base64").toString("base64url");
  return `${config.publicUrl}/unsubscribe?${UNSUBSCRIBE_TOKEN}=${token}`;
}

export function subscriptionOf(config: Pick<AppConfig, "secret">, token: string | null): Subscription | null {
  if (token === null || token.length > TOKEN_MAX) return null;
  try {
    const [from = "", ...rest] = openSealedText(config, PURPOSE, Buffer.from(token, "base64url").toString("base64")).split(" ");
    return from === "digest" || isNotificationKind(from) ? { userId: rest.join(" "), from } : null;
  } catch {
    return null;
  }
}

const TOKEN_MAX = 500;
