import { Command as Cmdk } from "cmdk";
import { useEffect, useRef, useState } from "react";
import { href, useNavigate } from "react-router";
import type { Preload } from "~/data/preload";
import { useLive } from "~/data/use-live";
import { close, show } from "~/ui/invokers";
import { type Theme, themeCookie } from "~/ui/preferences";
import { showTheme } from "~/ui/theme";
import { tagAddress } from "~/tags/words";
import { type Command, matching } from "./command";
import { pageCommands } from "./page-commands";
import { type NamedPlace, PLACES } from "./places";
import { useFound } from "./use-found";
import "./palette.css";

type PaletteProps = {
  /** Each new object opens it, or closes it where it stands open. */
  asked: object;
  projects: Preload<NamedPlace[]>;
  onToggleSidebar: () => void;
};

const THEMES: { theme: Theme; name: string }[] = [
  { theme: "dark", name: "Dark theme" },
  { theme: "light", name: "Light theme" },
  { theme: "system", name: "The system's theme" },
];

/** Every place and action by its name: type a part of it, choose with the arrows, Enter. Designs and images are found as in the search. */
export function Palette({ asked, projects, onToggleSidebar }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const signOut = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState("");
  const [here, setHere] = useState<Command[]>([]);
  const named = useLive(projects);
  const found = useFound(typed);
  const navigate = useNavigate();

  useEffect(() => {
    if (!dialog.current) return;
    if (dialog.current.open) return close(dialog.current);
    setTyped("");
    setHere(pageCommands());
    show(dialog.current);
    field.current?.focus();
  }, [asked]);

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

  return (
    <dialog ref={dialog} closedby="any" aria-label="Commands" className="dialog palette">
      <Cmdk label="Commands" loop vimBindings={false} shouldFilter={false}>
        <Cmdk.Input
          ref={field}
          value={typed}
          onValueChange={setTyped}
          placeholder="Go to, do, or find…"
          aria-label="A command, or what to find"
        />
        <Cmdk.List label="Commands">
          {offered.map(({ key, name, kind, run }) => (
            <Cmdk.Item
              key={key}
              value={key}
              onSelect={() => {
                // First, so that what opens does not open behind it.
                if (dialog.current) close(dialog.current);
                void run();
              }}
            >
              <span className="truncate">{name}</span>
              <span className="ml-auto shrink-0 pl-4 text-sm text-faint">{kind}</span>
            </Cmdk.Item>
          ))}
        </Cmdk.List>
        <p role="status" className="px-5 pb-4 text-soft empty:hidden">
          {offered.length === 0 ? `Nothing is called “${typed.trim()}”.` : null}
        </p>
      </Cmdk>
      {/* A document navigation, as from the user menu: nothing that was answered for one person stays for the next. */}
      <form ref={signOut} method="post" action={href("/sign-out")} hidden />
    </dialog>
  );
}
