import { Outlet } from "react-router";
import { requireVisitor } from "~/features/accounts/session/session.server";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import type { Route } from "./+types/signed-in";

export const middleware: Route.MiddlewareFunction[] = [requireVisitor];

export default function SignedIn() {
  return <Outlet />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} />;
}
