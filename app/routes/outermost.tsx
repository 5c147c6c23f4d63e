import { Outlet } from "react-router";
import { DefaultView } from "~/lib/ui/errors/default-view";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { isNotFound } from "~/lib/ui/errors/error-messages";
import type { Route } from "./+types/outermost";

/** Layout for signed-out visitors. Its error boundary saves the root from rendering the document again. */
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
