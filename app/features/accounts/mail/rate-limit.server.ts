import { createHmac } from "node:crypto";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";

export const MAIL_PAUSE_SECONDS = 60;

/** Returns the seconds until another email of this kind may be sent to the address. Unknown addresses get the same result. */
export async function secondsUntilAllowed(config: AppConfig, kind: string, email: string): Promise<number> {
  if (!config.accounts.rateLimit) return 0;
  // A keyed hash, so that the table does not reveal addresses.
  const key = createHmac("sha256", config.secret).update(`mail pace ${kind} ${email.toLowerCase()}`).digest("base64url");
  return serviceConvex(config).mutation(api.accounts.mail.pace, { key, seconds: MAIL_PAUSE_SECONDS }, { skipQueue: true });
}
