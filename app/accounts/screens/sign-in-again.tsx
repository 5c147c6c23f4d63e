import { href, useLocation } from "react-router";
import { Button } from "~/ui/button";

/**
 * For somebody without a password, where a fresh session is wanted: inside the form that was refused, which it sends elsewhere as it stands. Signing
 * in leads back to this page.
 */
export function SignInAgain() {
  const { pathname } = useLocation();
  return (
    <div role="alert" className="grid justify-items-start gap-3 rounded-md border bg-panel p-4">
      <p className="text-soft">
        It has been a while since you signed in, and this needs a fresh sign-in. Nothing was changed yet; you come back here.
      </p>
      <Button
        type="submit"
        size="sm"
        formMethod="post"
        formAction={`${href("/sign-out")}?${new URLSearchParams({ redirectTo: pathname })}`}
        formNoValidate
      >
        Sign in again
      </Button>
    </div>
  );
}
