import { configContext } from "~/http/context";
import { authFor } from "../auth.server";
import { toSignIn } from "../session.server";
import { type Asking, Refused } from "./account-action.server";

/** Better Auth's `freshAge`: after this a session is no longer fresh (milliseconds). */
const FRESH_FOR = 24 * 60 * 60 * 1000;

/**
 * The visitor's session, if it is a fresh one: for what is done on the server's own account and would do with any session, so that a page left
 * open is not enough to take an account over. Throws the refusal by which the form asks for the password (`account-action.server.ts`).
 */
export async function requireFresh({ request, context }: Pick<Asking, "request" | "context">) {
  const found = await authFor(context.get(configContext), request).api.getSession({ headers: request.headers });
  if (!found) throw toSignIn(request);
  if (Date.now() - found.session.createdAt.getTime() >= FRESH_FOR)
    throw new Refused("Session is not fresh", { status: 403, code: "SESSION_NOT_FRESH" });
  return found;
}
