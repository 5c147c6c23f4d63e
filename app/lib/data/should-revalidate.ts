import type { ShouldRevalidateFunctionArgs } from "react-router";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import { withoutOpenDialog } from "~/lib/forms/dialogs/open-dialog-param";
import { connectedConvex, lastForm } from "./connection/connection";

/** Skips loaders while connected, except for new pages and explicit requests (docs/decisions/050-reads-and-writes.md). */
export function liveRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, currentParams, nextParams } = args;
  return (
    explicitDecision(args) ??
    (JSON.stringify(currentParams) !== JSON.stringify(nextParams) ||
      withoutOpenDialog(currentUrl.search) !== withoutOpenDialog(nextUrl.search))
  );
}

export function liveLayoutRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  return explicitDecision(args) ?? false;
}

export function liveDesignRevalidation(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, currentParams, nextParams, formMethod } = args;
  const staysOnPage = currentParams["id"] === nextParams["id"];
  const turns = staysOnPage && nextParams["imageId"] !== undefined && formMethod === undefined && currentUrl.href !== nextUrl.href;
  if (turns && connectedConvex()) return false;
  return liveRevalidation(staysOnPage ? { ...args, currentParams: nextParams } : args);
}

function explicitDecision({
  formMethod,
  actionResult,
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean | null {
  // A rejected form changed nothing, and a failed load would replace the page and the typed text.
  if (isRejectedForm(actionResult) && currentUrl.href === nextUrl.href) return false;
  const isForm = formMethod !== undefined && formMethod !== "GET";
  if (!connectedConvex() || (isForm && lastForm.isOverHttp)) return defaultShouldRevalidate;
  // A form that ends during a navigation replaces the navigation's loads, so the new address decides.
  if (isForm && currentUrl.href === nextUrl.href) return false;
  return currentUrl.href === nextUrl.href ? defaultShouldRevalidate : null;
}

/** Returns whether a form was rejected. After edit conflicts and menus, the page must show stored data, also when disconnected. */
export function isRejectedForm(actionResult: unknown): boolean {
  const { result, current, form } = Object(actionResult);
  return result?.status === "error" && current === undefined && !String(form).startsWith(MENU_FORM);
}
