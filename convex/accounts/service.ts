import type { Auth } from "convex/server";
import { unauthenticated } from "../errors";

/** `iss` and `sub` of the app server's own token (`app/accounts/tokens.server.ts`). No person's id has a hyphen. */
export const ISSUER = "https://atelier.invalid";
const SERVICE_SUBJECT = "app-server";

/**
 * Lets only the app server pass, by its own token; to anybody else the function is closed ("unauthenticated"). `service` is a claim that no
 * person's token carries, and `sessionId` one that all of them do.
 */
export async function requireService({ auth }: { auth: Auth }): Promise<void> {
  const caller = await auth.getUserIdentity();
  const isServer =
    caller?.issuer === ISSUER && caller.subject === SERVICE_SUBJECT && caller["service"] === true && caller["sessionId"] === undefined;
  if (!isServer) throw unauthenticated();
}
