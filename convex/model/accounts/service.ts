import type { Auth } from "convex/server";
import { unauthenticated } from "../errors";

/** `iss` and `sub` of the app server's token (`app/features/accounts/session/convex/tokens.server.ts`). User ids have no hyphen. */
export const ISSUER = "https://atelier.invalid";
const SERVICE_SUBJECT = "app-server";
const LINK_SUBJECT = "public-link";

/** Returns whether `sub` is that of a link's token. App servers of an earlier build name no link in it. */
export const isSubjectOfLink = (subject: string, linkId: string): boolean =>
  subject === `${LINK_SUBJECT} ${linkId}` || subject === LINK_SUBJECT;

/** Throws unless the token is the app server's. Only that token has `service`, and every user token has `sessionId`. */
export async function requireService({ auth }: { auth: Auth }): Promise<void> {
  const caller = await auth.getUserIdentity();
  const isServer =
    caller?.issuer === ISSUER && caller.subject === SERVICE_SUBJECT && caller["service"] === true && caller["sessionId"] === undefined;
  if (!isServer) throw unauthenticated();
}
