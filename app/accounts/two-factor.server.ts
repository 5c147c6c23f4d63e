import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { configContext } from "~/http/context";
import { originOf } from "~/http/origin.server";
import { cookieNames, readCookie } from "./cookies";
import { safeTarget } from "./safe-target";

const challenged = z.object({ twoFactorRedirect: z.literal(true) });

export const codeFields = z.object({ code: z.string("Enter the code").trim(), trustDevice: z.string().optional() });
export const noFields = z.object({});

/** Where signing in by a password leads: to where the visitor wanted to go, or first to the page that asks for the second factor. */
export async function afterPassword(answer: Response, { searchParams }: URL): Promise<string> {
  const redirectTo = searchParams.get("redirectTo");
  const { success } = challenged.safeParse(await answer.json().catch(() => null));
  if (!success) return safeTarget(redirectTo);
  return redirectTo === null ? "/two-factor" : `/two-factor?${new URLSearchParams({ redirectTo })}`;
}

/** Whether somebody has given their password and is asked for the second factor. The cookie is only a hint: Better Auth judges it. */
export function isChallenged(request: Request, context: Readonly<RouterContextProvider>): boolean {
  const { prefix } = cookieNames(originOf(context.get(configContext), request));
  return readCookie(request.headers, `${prefix}.two_factor`) !== null;
}
