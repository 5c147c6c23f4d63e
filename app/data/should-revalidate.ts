import type { ShouldRevalidateFunctionArgs } from "react-router";
import { withoutQuestion } from "~/forms/question";
import { connectedConvex } from "./connection";

/**
 * `shouldRevalidate` of routes whose data is live: while the connection stands, loaders run for a page that was not there before and when
 * somebody asks for it ('Try again', a lost session), and neither after a form nor for a question in the search. Without a connection React Router's
 * own rule holds, as the loaders are then all there is. See docs/decisions on reads and writes.
 */
export function liveRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, currentParams, nextParams } = args;
  return (
    decided(args) ??
    (JSON.stringify(currentParams) !== JSON.stringify(nextParams) || withoutQuestion(currentUrl.search) !== withoutQuestion(nextUrl.search))
  );
}

/** The same for layouts, which stay while the pages in them change. */
export function liveLayoutRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  return decided(args) ?? false;
}

/** What holds for pages and layouts alike; null: it depends on where somebody goes. */
function decided({ formMethod, currentUrl, nextUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs): boolean | null {
  if (!connectedConvex()) return defaultShouldRevalidate;
  if (formMethod !== undefined && formMethod !== "GET") return false;
  return currentUrl.href === nextUrl.href ? defaultShouldRevalidate : null;
}
