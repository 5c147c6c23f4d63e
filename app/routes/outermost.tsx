import { Outlet } from "react-router";
import { DefaultView } from "~/ui/default-view";
import type { Route } from "./+types/outermost";

/** Stands right below the root, so that what no other boundary takes does not blank the document. */
export default function Outermost() {
  return <Outlet />;
}

/** Says when to ask again (`Retry-After`), where a fault knows it. */
export function headers({ errorHeaders, loaderHeaders }: Route.HeadersArgs) {
  return errorHeaders ?? loaderHeaders;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <DefaultView error={error} />;
}
