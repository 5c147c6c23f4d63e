import { Outlet } from "react-router";
import { DefaultView } from "~/ui/default-view";
import type { Route } from "./+types/outermost";

/** Stands right below the root, so that what no other boundary takes does not blank the document. */
export default function Outermost() {
  return <Outlet />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <DefaultView error={error} />;
}
