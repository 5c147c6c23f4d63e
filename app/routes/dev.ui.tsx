import { notFoundResponse } from "~/data/refusals";
import { configContext } from "~/http/context";
import { PageHeader } from "~/ui/page";
import { Specimens } from "~/ui/specimens";
import { Toaster } from "~/ui/toaster";
import type { Route } from "./+types/dev.ui";

export const meta: Route.MetaFunction = () => [{ title: "Components · Atelier" }];

/** For whoever works on the app: in production this address does not exist. */
export function loader({ context }: Route.LoaderArgs) {
  if (context.get(configContext).production) throw notFoundResponse();
  return null;
}

/** Every component in every state, in both themes beside each other. */
export default function Components() {
  return (
    <main className="grid min-h-dvh xl:grid-cols-2">
      {(["dark", "light"] as const).map((theme) => (
        <div key={theme} data-theme={theme} className="grid grid-cols-[minmax(0,1fr)] content-start gap-8 bg-ground p-6 text-ink md:p-10">
          <PageHeader title={`Components, ${theme}`} />
          <Specimens />
        </div>
      ))}
      <Toaster theme="dark" />
    </main>
  );
}
