import { Outlet } from "react-router";
import { requireVisitor } from "~/accounts/session.server";
import { FaultScreen } from "~/ui/error-screen";
import type { Route } from "./+types/signed-in";

export const middleware: Route.MiddlewareFunction[] = [requireVisitor];

/** The pages for which somebody must be signed in. Their faults are shown here, with the shell around them still standing. */
export default function SignedIn() {
  return <Outlet />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <FaultScreen error={error} />;
}
