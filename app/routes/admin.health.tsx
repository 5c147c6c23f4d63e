import { HealthBackups, HealthHistory, HealthProblems, HealthState } from "~/features/administration/operation/health-view";
import { readHealth } from "~/features/administration/operation/read-health.server";
import { usePolling } from "~/features/administration/use-polling";
import type { Route } from "./+types/admin.health";

export const meta: Route.MetaFunction = () => [{ title: "Health · Administration · Atelier" }];

export const loader = async ({ context }: Route.LoaderArgs) => ({ health: await readHealth(context) });

export default function HealthPage({ loaderData: { health } }: Route.ComponentProps) {
  usePolling();
  return (
    <>
      <HealthState health={health} />
      <HealthProblems health={health} />
      <HealthBackups health={health} />
      <HealthHistory health={health} />
    </>
  );
}
