import { notFoundResponse } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { PageHeader } from "~/lib/ui/page";
import { ComponentExamples } from "~/lib/ui/component-examples";
import { Toaster } from "~/lib/ui/overlays/toaster";
import type { Route } from "./+types/dev.ui";

export const meta: Route.MetaFunction = () => [{ title: "Components · Atelier" }];

export function loader({ context }: Route.LoaderArgs) {
  if (context.get(configContext).production) throw notFoundResponse();
  return null;
}

export default function Components() {
  return (
    <main className="grid min-h-dvh xl:grid-cols-2">
      {(["dark", "light"] as const).map((theme) => (
        <div
          key={theme}
          data-theme={theme}
          className="grid grid-cols-[minmax(0,1fr)] content-start gap-8 bg-background p-6 text-ink md:p-10"
        >
          <PageHeader title={`Components, ${theme}`} />
          <ComponentExamples />
        </div>
      ))}
      <Toaster theme="dark" />
    </main>
  );
}
