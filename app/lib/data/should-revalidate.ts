import type { ShouldRevalidateFunctionArgs } from "react-router";
import { withoutOpenDialog } from "~/lib/forms/dialogs/open-dialog-param";
import { connectedConvex } from "./connection/connection";

/** Skips loaders while connected, except for new pages and explicit requests (docs/decisions/050-reads-and-writes.md). */
export function liveRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, currentParams, nextParams } = args;
  return (
    decided(args) ??
    (JSON.stringify(currentParams) !== JSON.stringify(nextParams) ||
      withoutOpenDialog(currentUrl.search) !== withoutOpenDialog(nextUrl.search))
  );
}

export function liveLayoutRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  return decided(args) ?? false;
}

function decided({ formMethod, currentUrl, nextUrl, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs): boolean | null {
  if (!connectedConvex()) return defaultShouldRevalidate;
  // A form that ends during a navigation replaces its loads, so the new address decides.
  if (formMethod !== undefined && formMethod !== "GET" && currentUrl.href === nextUrl.href) return false;
  return currentUrl.href === nextUrl.href ? defaultShouldRevalidate : null;
}
