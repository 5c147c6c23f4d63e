import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { configContext } from "~/lib/http/context";
import { originOf } from "~/lib/http/origin.server";
import { cookieNames, readCookie } from "./session/cookies";
import { safeRedirectPath } from "./session/safe-redirect";

const challenged = z.object({ twoFactorRedirect: z.literal(true) });

export const codeFields = z.object({ code: z.string("Enter the code.").trim(), trustDevice: z.string().optional() });
export const noFields = z.object({});

export function afterPassword(answer: unknown, { searchParams }: URL): string {
  const redirectTo = searchParams.get("redirectTo");
  const { success } = challenged.safeParse(answer);
  if (!success) return safeRedirectPath(redirectTo);
  return redirectTo === null ? "/two-factor" : `/two-factor?${new URLSearchParams({ redirectTo })}`;
}

/** Returns whether the second factor is pending. Only a hint: Better Auth verifies the cookie. */
export function isChallenged(request: Request, context: Readonly<RouterContextProvider>): boolean {
  const { prefix } = cookieNames(originOf(context.get(configContext), request));
  return readCookie(request.headers, `${prefix}.two_factor`) !== null;
}
