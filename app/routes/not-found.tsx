import { data } from "react-router";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { GoBack } from "~/lib/ui/navigation/go-back";
import { CenteredScreen } from "~/lib/ui/centered-screen";
import type { Route } from "./+types/not-found";

export const meta: Route.MetaFunction = () => [{ title: "Page not found · Atelier" }];

export const loader = () => data(null, { status: 404, statusText: "Not Found" });

/** Without an action, a POST would return 405 instead of 404. */
export const action = loader;

export default function NotFound() {
  return (
    <CenteredScreen title="Page not found" text="There is no page at this address.">
      <GoBack variant="primary">Go back</GoBack>
      <ButtonLink to="/">Start Over</ButtonLink>
    </CenteredScreen>
  );
}
