import { data } from "react-router";
import { PageNotFound } from "~/lib/ui/errors/page-not-found";
import type { Route } from "./+types/not-found";

export const meta: Route.MetaFunction = () => [{ title: "Page not found · Atelier" }];

export const loader = () => data(null, { status: 404, statusText: "Not Found" });

/** Without an action, a POST would return 405 instead of 404. */
export const action = loader;

export default PageNotFound;
