import { AuthPage } from "~/accounts/auth-page";
import { ButtonLink } from "~/ui/button";
import type { Route } from "./+types/error";

export const meta: Route.MetaFunction = () => [{ title: "Authentication Error · Atelier" }];

/** The page's own address is all that it shows: it must stand when nothing else does. */
export const loader = ({ url }: Route.LoaderArgs) => ({ code: url.searchParams.get("error") || "Unknown" });

/** What somebody can do about a code that they may meet without any fault of theirs; all others are told alone. */
const ADVICE: Record<string, string> = {
  access_denied: "You, or the provider, said no. Nothing was passed on to us.",
  account_already_linked_to_different_user: "That account opens another account here. Sign in with it, and unlink it there first.",
  account_not_linked:
    "There is an account with this address already. Sign in to it as you did before, and then link the provider under Account, Connections.",
  email_not_found: "The provider told us no email address, and we need one. Allow it there, or sign up with a password.",
  email_not_verified: "Your email address is not confirmed yet. Follow the link that we have sent to it, and sign in again.",
  state_not_found: "This sign-in took longer than ten minutes, was begun in another browser, or was finished already. Begin it again.",
  INVALID_TOKEN: "This link was followed already, is too old, or is for another account than the one that is signed in here.",
  TOO_MANY_REQUESTS: "This was tried too often in a short time. Wait a moment, and follow the link again.",
  unable_to_link_account: "It can be linked only if its email address is the one that you have here, and is confirmed there.",
};

/** Where a failed sign-in by a provider, or a stale link, ends (specification 2). */
export default function AuthenticationError({ loaderData: { code } }: Route.ComponentProps) {
  return (
    <AuthPage title="Authentication Error">
      <div className="grid justify-items-start gap-5">
        <p className="text-soft">
          Something went wrong while signing you in. Nothing in your account was changed; you can return and try again.
        </p>
        {Object.hasOwn(ADVICE, code) ? <p>{ADVICE[code]}</p> : null}
        <ButtonLink to="/" look="primary">
          Return to Application
        </ButtonLink>
        <p className="text-sm text-faint">
          Error code: <code className="inline-block max-w-full font-mono wrap-anywhere">{code}</code>
        </p>
      </div>
    </AuthPage>
  );
}
