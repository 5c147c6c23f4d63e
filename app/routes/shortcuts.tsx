import { href } from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { Button } from "~/lib/ui/inputs/button";
import { SHORTCUTS } from "~/features/shell/shortcuts";
import { Page, PageHeader } from "~/lib/ui/page";
import { SHORTCUTS_COOKIE, shortcutsFrom } from "~/lib/ui/theme/preferences";
import type { Route } from "./+types/shortcuts";

export const meta: Route.MetaFunction = () => [{ title: "Keyboard shortcuts · Atelier" }];

export const loader = ({ request }: Route.LoaderArgs) => ({ singleKeys: shortcutsFrom(readCookie(request.headers, SHORTCUTS_COOKIE)) });

export default function Shortcuts({ loaderData: { singleKeys } }: Route.ComponentProps) {
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader title="Keyboard shortcuts" />
      <p className="text-soft">
        You can reach everything with Tab and Enter. These shortcuts are inactive while you type. If your keyboard layout has no Latin
        letters, press the key that has the letter on a US keyboard.
      </p>
      <form method="post" action={href("/preferences")} className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <input type="hidden" name="back" value={href("/shortcuts")} />
        <Button type="submit" name="shortcuts" value={singleKeys ? "off" : "on"}>
          {singleKeys ? "Disable single-key shortcuts" : "Enable single-key shortcuts"}
        </Button>
        <p className="text-sm text-faint">
          {singleKeys ? "Single-key shortcuts such as ‘?’ are enabled." : "Single-key shortcuts such as ‘?’ are disabled."}
        </p>
      </form>
      {SHORTCUTS.map(({ name, shortcuts }) => (
        <section key={name} aria-label={name} className="grid gap-2">
          <h2 className="text-lg">{name}</h2>
          <dl className="grid divide-y">
            {shortcuts.map(({ keys, does }) => (
              <div key={does} className="flex min-h-9 flex-row-reverse items-center justify-between gap-4 py-1.5">
                <dt className="flex shrink-0 items-center gap-2 text-faint">
                  {keys.map((key, index) => (
                    <span key={key} className="flex items-center gap-2">
                      {index > 0 ? "or" : null}
                      <kbd className="rounded-sm border border-edge bg-card px-1.5 py-0.5 font-mono text-xs text-ink">{key}</kbd>
                    </span>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Page>
  );
}
