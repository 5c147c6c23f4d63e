import type { ShouldRevalidateFunctionArgs } from "react-router";
import { connectedConvex } from "./browser";

/**
 * `shouldRevalidate` of routes whose data is live: while the connection stands, loaders run for a page that was not there before and when
 * somebody asks for it ('Try again', a lost session), and neither after a form nor for a changed search. Without a connection React Router's
 * own rule holds, as the loaders are then all there is. See docs/decisions on reads and writes.
 */
export function liveRevalidation({
  formMethod,
  currentUrl,
  nextUrl,
  currentParams,
  nextParams,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  if (!connectedConvex()) return defaultShouldRevalidate;
  if (formMethod !== undefined && formMethod !== "GET") return false;
  if (currentUrl.href === nextUrl.href) return defaultShouldRevalidate;
  return JSON.stringify(currentParams) !== JSON.stringify(nextParams);
}

/** The same for layouts, which stay while the pages in them change. */
export function liveLayoutRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  return liveRevalidation({ ...args, nextParams: args.currentParams });
}
