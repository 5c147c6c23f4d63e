import type { Auth } from "convex/server";
import { unauthenticated } from "../errors";

/** `iss` and `sub` of the app server's token (`app/features/accounts/session/convex/tokens.server.ts`). User ids have no hyphen. */
export const ISSUER = "https://atelier.invalid";
const SERVICE_SUBJECT = "app-server";
/** `sub` of a public link's token, which names the link in `linkId`. */
export const LINK_SUBJECT = "public-link";

/** Throws unless the token is the app server's. Only that token has `service`, and every user token has `sessionId`. */
export async function requireService({ auth }: { auth: Auth }): Promise<void> {
  const caller = await auth.getUserIdentity();
  const isServer =
    caller?.issuer === ISSUER && caller.subject === SERVICE_SUBJECT && caller["service"] === true && caller["sessionId"] === undefined;
  if (!isServer) throw unauthenticated();
}
