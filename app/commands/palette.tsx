import { Command as Cmdk } from "cmdk";
import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { href, useNavigate } from "react-router";
import type { Preload } from "~/data/preload";
import { useLive } from "~/data/use-live";
import { close } from "~/ui/invokers";
import { type Theme, themeCookie } from "~/ui/preferences";
import { showTheme } from "~/ui/theme";
import { tagAddress } from "~/tags/words";
import { type Command, matching } from "./command";
import { FIELD } from "./field";
import { type NamedPlace, PLACES } from "./places";
import { useFound } from "./use-found";

export type PaletteProps = {
  projects: Preload<NamedPlace[]>;
  onToggleSidebar: () => void;
  /** What can be done on the page behind it. */
  here: Command[];
  typed: string;
  onType: (text: string) => void;
  /** Whether Enter was pressed before this was here. */
  entered: boolean;
};

const THEMES: { theme: Theme; name: string }[] = [
  { theme: "dark", name: "Dark theme" },
  { theme: "light", name: "Light theme" },
  { theme: "system", name: "The system's theme" },
];

/** Every place and action by its name: type a part of it, choose with the arrows, Enter. Designs and images are found as in the search. */
export function Palette({ projects, onToggleSidebar, here, typed, onType, entered }: PaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  const signOut = useRef<HTMLFormElement>(null);
  const named = useLive(projects);
  const found = useFound(typed);
  const navigate = useNavigate();

  const goes = (to: string) => () => navigate(to);
  const commands: Command[] = [
    ...here,
    ...named.map(({ _id, name }) => ({ key: _id, name, kind: "Project", run: goes(href("/projects/:id", { id: _id })) })),
    ...found.designs.map(({ _id, name, projectName }) => ({
      key: _id,
      name,
      words: [typed],
      kind: projectName,
      run: goes(href("/design/:id", { id: _id })),
    })),
    ...found.images.map(({ _id, name, designId, designName }) => ({
      key: _id,
      name,
      words: [typed],
      kind: designName,
      run: goes(href("/design/:id/images/:imageId", { id: designId, imageId: _id })),
    })),
    ...found.tags.map((tag) => ({ key: `tag ${tag}`, name: tag, kind: "Tag", run: goes(tagAddress(tag)) })),
    ...PLACES.map(({ name, to, words }) => ({ key: to, name, words, kind: "Go to", run: goes(to) })),
    ...THEMES.map(({ theme, name }) => ({
      key: theme,
      name,
      words: ["appearance", "colours", "mode"],
      kind: "Do",
      run: () => {
        showTheme(theme);
        document.cookie = themeCookie(theme, location.protocol === "https:");
      },
    })),
    { key: "sidebar", name: "Collapse or expand the sidebar", kind: "Do", run: onToggleSidebar },
    { key: "sign-out", name: "Log out", words: ["sign out", "leave"], kind: "Do", run: () => signOut.current?.submit() },
  ];
  const offered = matching(commands, typed);

  function run(command: Command) {
    // First, so that what opens does not open behind it.
    const dialog = field.current?.closest("dialog");
    if (dialog) close(dialog);
    void command.run();
  }

  // In the place of the field that was there while this was loaded.
  const takeUp = useEffectEvent(() => {
    if (!field.current?.closest("dialog[open]")) return;
    field.current.focus();
    field.current.setSelectionRange(typed.length, typed.length);
    const [first] = offered;
    if (entered && first) run(first);
  });
  useLayoutEffect(() => takeUp(), []);

  return (
    <>
      <Cmdk label="Commands" loop vimBindings={false} shouldFilter={false}>
        <Cmdk.Input ref={field} value={typed} onValueChange={onType} placeholder={FIELD.placeholder} aria-label={FIELD.label} />
        <Cmdk.List label="Commands">
          {offered.map((command) => (
            <Cmdk.Item key={command.key} value={command.key} onSelect={() => run(command)}>
              <span className="truncate">{command.name}</span>
              <span className="ml-auto shrink-0 pl-4 text-sm text-faint">{command.kind}</span>
            </Cmdk.Item>
          ))}
        </Cmdk.List>
        <p role="status" className="px-5 pb-4 text-soft empty:hidden">
          {offered.length === 0 ? `Nothing is called “${typed.trim()}”.` : null}
        </p>
      </Cmdk>
      {/* A document navigation, as from the user menu: nothing that was answered for one person stays for the next. */}
      <form ref={signOut} method="post" action={href("/sign-out")} hidden />
    </>
  );
}
