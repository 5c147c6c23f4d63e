import { AuthPage } from "~/features/accounts/auth-page";
import { adviceFor } from "~/features/accounts/callback-errors";
import { configContext } from "~/lib/http/context";
import { ButtonLink } from "~/lib/ui/inputs/button";
import type { Route } from "./+types/error";

export const meta: Route.MetaFunction = () => [{ title: "Authentication Error · Atelier" }];

/** Reads only the URL: this page must work when nothing else does. */
export const loader = ({ url, context }: Route.LoaderArgs) => ({
  code: url.searchParams.get("error") || "Unknown",
  linking: context.get(configContext).accounts.linking,
});

export default function AuthenticationError({ loaderData: { code, linking } }: Route.ComponentProps) {
  const advice = adviceFor(code, { linking });
  return (
    <AuthPage title="Authentication Error">
      <div className="grid justify-items-start gap-5">
        <p className="text-soft">Something went wrong. Return to the application and try again.</p>
        {advice === null ? null : <p>{advice}</p>}
        <ButtonLink to="/" variant="primary">
          Return to Application
        </ButtonLink>
        <p className="text-sm text-faint">
          Error code: <code className="inline-block max-w-full font-mono wrap-anywhere">{code}</code>
        </p>
      </div>
    </AuthPage>
  );
}
