import { createHmac } from "node:crypto";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";

/** How long an address is left in peace after a mail of a kind, in seconds. */
export const MAIL_PAUSE_SECONDS = 60;

/**
 * Asks to send one mail of a kind to an address: 0, it may be sent; else the seconds to wait. The same for addresses with an account and
 * without, wherever the requests come from. Off where rate limits are.
 */
export async function paceOf(config: AppConfig, kind: string, email: string): Promise<number> {
  if (!config.accounts.rateLimit) return 0;
  // A keyed hash: the table of limits is no list of addresses.
  const key = createHmac("sha256", config.secret).update(`mail pace ${kind} ${email.toLowerCase()}`).digest("base64url");
  return serviceConvex(config).mutation(api.accounts.mail.pace, { key, seconds: MAIL_PAUSE_SECONDS }, { skipQueue: true });
}
