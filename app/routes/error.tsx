import { AuthPage } from "~/accounts/auth-page";
import { ButtonLink } from "~/ui/button";
import type { Route } from "./+types/error";

export const meta: Route.MetaFunction = () => [{ title: "Authentication Error · Atelier" }];

/** The page's own address is all that it shows: it must stand when nothing else does. */
export const loader = ({ url }: Route.LoaderArgs) => ({ code: url.searchParams.get("error") || "Unknown" });

/** Where a failed sign-in by a provider, or a stale link, ends (specification 2). */
export default function AuthenticationError({ loaderData }: Route.ComponentProps) {
  return (
    <AuthPage title="Authentication Error">
      <div className="grid justify-items-start gap-5">
        <p className="text-soft">
          Something went wrong while signing you in. Nothing in your account was changed; you can return and try again.
        </p>
        <ButtonLink to="/" look="primary">
          Return to Application
        </ButtonLink>
        <p className="text-sm text-faint">
          Error code: <code className="inline-block max-w-full font-mono wrap-anywhere">{loaderData.code}</code>
        </p>
      </div>
    </AuthPage>
  );
}
