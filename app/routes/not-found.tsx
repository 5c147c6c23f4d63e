import { data } from "react-router";
import { ButtonLink } from "~/ui/button";
import { GoBack } from "~/ui/go-back";
import { Screen } from "~/ui/screen";
import type { Route } from "./+types/not-found";

export const meta: Route.MetaFunction = () => [{ title: "Page not found · Atelier" }];

export const loader = () => data(null, { status: 404, statusText: "Not Found" });

/** Whatever is sent there: without this it would be 405, as if there were a page. */
export const action = loader;

/** Any path that is no page (specification 2). */
export default function NotFound() {
  return (
    <Screen title="Page not found" text="There is no page at this address.">
      <GoBack look="primary">Go back</GoBack>
      <ButtonLink to="/">Start Over</ButtonLink>
    </Screen>
  );
}
