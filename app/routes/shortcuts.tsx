import { href } from "react-router";
import { readCookie } from "~/accounts/cookies";
import { Button } from "~/ui/button";
import { Page, PageHeader } from "~/ui/page";
import { SHORTCUTS_COOKIE, shortcutsFrom } from "~/ui/preferences";
import type { Route } from "./+types/shortcuts";

export const meta: Route.MetaFunction = () => [{ title: "Keyboard shortcuts · Atelier" }];

export const loader = ({ request }: Route.LoaderArgs) => ({ singleKeys: shortcutsFrom(readCookie(request.headers, SHORTCUTS_COOKIE)) });

/** What keys do, by where they do it; of a list of keys each does. */
const places: { name: string; shortcuts: { keys: string[]; does: string }[] }[] = [
  {
    name: "Everywhere",
    shortcuts: [
      { keys: ["?"], does: "Show this page" },
      { keys: ["Ctrl+K", "Cmd+K"], does: "Go to, do or find anything by its name" },
      { keys: ["Ctrl+B", "Cmd+B"], does: "Collapse or expand the sidebar" },
      { keys: ["Alt+T"], does: "Go to the messages at the bottom right" },
      { keys: ["Esc"], does: "Close what is open above the page" },
    ],
  },
  {
    name: "A name at the head of a page",
    shortcuts: [
      { keys: ["Enter"], does: "Keep the new name" },
      { keys: ["Esc"], does: "Keep the old one" },
    ],
  },
  {
    name: "A list of designs or images",
    shortcuts: [
      { keys: ["Space"], does: "Select what has the focus, or no longer" },
      { keys: ["Shift+an arrow"], does: "Select on the way there" },
      { keys: ["Ctrl+A", "Cmd+A"], does: "Select all" },
      { keys: ["Ctrl+Z", "Cmd+Z"], does: "Bring back what went to the trash last" },
      { keys: ["Esc"], does: "Stop selecting" },
    ],
  },
  {
    name: "The handle of something in an order made by hand",
    shortcuts: [
      { keys: ["Space", "Enter"], does: "Take it, and put it down" },
      { keys: ["Arrows", "Home", "End"], does: "Move it" },
      { keys: ["Esc"], does: "Leave it where it was" },
    ],
  },
  {
    name: "An image, shown large",
    shortcuts: [
      { keys: ["Left"], does: "Previous image; moves an image that is larger than the window" },
      { keys: ["Right"], does: "Next image; moves an image that is larger than the window" },
      { keys: ["+", "-"], does: "Zoom in or out" },
      { keys: ["0"], does: "Fit the image into the window" },
      { keys: ["1"], does: "Show its own pixels (100%)" },
      { keys: ["2"], does: "Fill the window" },
      { keys: ["F"], does: "Full screen" },
      { keys: ["I"], does: "Facts and versions" },
      { keys: ["G"], does: "The next ground behind the image" },
      { keys: ["C"], does: "Compare with another image or version" },
      { keys: ["Esc"], does: "Back to the design" },
    ],
  },
];

/** All of it can be reached by Tab and Enter; these are the shorter ways. */
export default function Shortcuts({ loaderData: { singleKeys } }: Route.ComponentProps) {
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader title="Keyboard shortcuts" />
      <p className="text-soft">Everything can be reached with Tab and Enter. These keys are shorter ways; they rest while you type.</p>
      <form method="post" action={href("/preferences")} className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <input type="hidden" name="back" value={href("/shortcuts")} />
        <Button type="submit" name="shortcuts" value={singleKeys ? "off" : "on"}>
          {singleKeys ? "Switch single keys off" : "Switch single keys on"}
        </Button>
        <p className="text-sm text-faint">
          {singleKeys ? "Keys like ‘?’ do something by themselves." : "Keys like ‘?’ do nothing by themselves."}
        </p>
      </form>
      {places.map(({ name, shortcuts }) => (
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
