import { href, redirect } from "react-router";
import { requireVisitor } from "~/accounts/session.server";
import type { Route } from "./+types/change-password";

export const middleware: Route.MiddlewareFunction[] = [requireVisitor];

/** Where password managers send somebody to change a password (W3C, A Well-Known URL for Changing Passwords). */
export const loader = () => redirect(href("/account/security"));
