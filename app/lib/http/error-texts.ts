export const NOT_FOUND_TEXT = "The page you are looking for does not exist.";

/** Returns the text for a form rejected before its action ran (`app/lib/http/forms/form.server.ts`); null for other faults. */
export function refusedFormText(status: number): string | null {
  if (status === 413) return "The form is too large, so nothing was saved. Go back and shorten it.";
  if (status === 507) return "The server's disk is full, so not everything was saved. Try again later.";
  if (status === 429) return "Too many attempts. Nothing was changed. Wait a moment, then go back and try again.";
  if (status !== 400 && status !== 415) return null;
  return "The form could not be read, so nothing was saved. Go back and send it again.";
}
