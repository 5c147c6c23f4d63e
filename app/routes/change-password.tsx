import { href, redirect } from "react-router";
import { requireVisitor } from "~/features/accounts/session/session.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/change-password";

export const middleware: Route.MiddlewareFunction[] = [requireVisitor];

/** Redirects password managers, which open this address (W3C, A Well-Known URL for Changing Passwords). */
export const loader = () => redirect(href("/account/security"));

export const action = methodNotAllowed("GET", "HEAD");
