import { Outlet } from "react-router";
import { DefaultView } from "~/lib/ui/errors/default-view";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { isNotFound } from "~/lib/ui/errors/error-messages";
import type { Route } from "./+types/outermost";

/** Layout for signed-out visitors. Without its error boundary, the root would render the document again after an error. */
export default function Outermost() {
  return <Outlet />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isNotFound(error)) return <DefaultView error={error} />;
  return (
    <main>
      <ErrorScreen error={error} atRoot />
    </main>
  );
}
