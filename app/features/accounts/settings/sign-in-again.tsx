import { href, useLocation } from "react-router";
import { Button } from "~/lib/ui/inputs/button";

export function SignInAgain() {
  const { pathname } = useLocation();
  return (
    <div role="alert" className="grid justify-items-start gap-3 rounded-md border bg-panel p-4">
      <p className="text-soft">
        You signed in some time ago. Sign in again to continue. You then return to this page. Nothing was changed.
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
