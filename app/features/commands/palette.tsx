import { isolate } from "~/lib/ui/isolate";
import { Command as Cmdk } from "cmdk";
import { type KeyboardEvent, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { href, useNavigate } from "react-router";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { close } from "~/lib/ui/overlays/invokers";
import { type Theme, themeCookie } from "~/lib/ui/theme/preferences";
import { showTheme } from "~/lib/ui/theme/theme";
import { Mosaic } from "~/features/images/display/mosaic";
import type { PictureSource } from "~/features/images/display/picture";
import { tagAddress } from "~/features/tags/tag-list";
import { type Command, matchCommands } from "./command";
import { FIELD } from "./search-field-id";
import { type PageDestination, PAGE_DESTINATIONS } from "./page-destinations";
import { useRecentDesigns, useSearchResults } from "./use-search-results";

export type PaletteProps = {
  projects: Preload<PageDestination[]>;
  onToggleSidebar: () => void;
  pageCommands: Command[];
  typed: string;
  onType: (text: string) => void;
  entered: boolean;
};

const THEMES: { theme: Theme; name: string }[] = [
  { theme: "dark", name: "Dark theme" },
  { theme: "light", name: "Light theme" },
  { theme: "system", name: "System theme" },
];

export function Palette({ projects, onToggleSidebar, pageCommands, typed, onType, entered }: PaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  const signOut = useRef<HTMLFormElement>(null);
  const named = useLive(projects);
  const found = useSearchResults(typed);
  const recent = useRecentDesigns();
  const navigate = useNavigate();
  const covers = new Map<string, PictureSource[]>(found.projects.map(({ _id, cover }) => [_id, cover]));

  const navigateTo = (to: string) => () => navigate(to);
  const commands: Command[] = [
    ...pageCommands,
    ...named.map(({ _id, name }) => ({
      key: _id,
      name,
      kind: "Project",
      cover: covers.get(_id) ?? [],
      run: navigateTo(href("/projects/:id", { id: _id })),
    })),
    ...found.designs.map(({ _id, name, projectName, cover }) => ({
      key: _id,
      name,
      words: [typed],
      kind: projectName,
      cover,
      run: navigateTo(href("/design/:id", { id: _id })),
    })),
    ...found.images.map(({ _id, name, designId, designName, ...image }) => ({
      key: _id,
      name,
      words: [typed],
      kind: designName,
      cover: [{ ...image, imageId: _id }],
      run: navigateTo(href("/design/:id/images/:imageId", { id: designId, imageId: _id })),
    })),
    ...found.tags.map((tag) => ({ key: `tag ${tag}`, name: tag, kind: "Tag", run: navigateTo(tagAddress(tag)) })),
    ...PAGE_DESTINATIONS.map(({ name, to, words }) => ({ key: to, name, words, kind: "Go to", run: navigateTo(to) })),
    ...THEMES.map(({ theme, name }) => ({
      key: theme,
      name,
      words: ["appearance", "colours", "mode"],
      kind: "Actions",
      run: () => {
        showTheme(theme);
        document.cookie = themeCookie(theme, location.protocol === "https:");
      },
    })),
    { key: "sidebar", name: "Collapse or expand the sidebar", kind: "Actions", run: onToggleSidebar },
    { key: "sign-out", name: "Log out", words: ["sign out", "leave"], kind: "Actions", run: () => signOut.current?.submit() },
  ];
  const recentCommands: Command[] = recent.map(({ _id, name, projectName, cover }) => ({
    key: `recent ${_id}`,
    name,
    kind: projectName,
    cover,
    run: navigateTo(href("/design/:id", { id: _id })),
  }));
  const offered = matchCommands(commands, typed);
  const recentShown = typed.trim() === "" ? recentCommands : [];
  const selection = useSelectedCommand(typed, pageCommands, [...recentShown, ...offered]);

  function run(command: Command) {
    const dialog = field.current?.closest("dialog");
    if (dialog) close(dialog);
    void command.run();
  }

  const option = (command: Command) => (
    <Cmdk.Item key={command.key} value={command.key} onSelect={() => run(command)}>
      {command.cover ? <Mosaic cover={command.cover} sizes="40px" className="me-3 -ms-1 size-7 shrink-0 rounded-sm" /> : null}
      <span dir="auto" className="truncate">
        {command.name}
      </span>
      <span className="ms-auto shrink-0 ps-4 text-sm text-faint" dir="auto">
        {command.kind}
      </span>
    </Cmdk.Item>
  );

  const readTyped = useEffectEvent(() => {
    if (!field.current?.closest("dialog[open]")) return;
    field.current.focus();
    field.current.setSelectionRange(typed.length, typed.length);
    const [first] = offered;
    if (entered && first) run(first);
  });
  useLayoutEffect(() => readTyped(), []);

  return (
    <>
      <Cmdk label="Commands" loop vimBindings={false} shouldFilter={false} {...selection}>
        <Cmdk.Input ref={field} dir="auto" value={typed} onValueChange={onType} placeholder={FIELD.placeholder} aria-label={FIELD.label} />
        <Cmdk.List label="Commands">
          {recentShown.length > 0 ? <Cmdk.Group heading="Recent">{recentShown.map((command) => option(command))}</Cmdk.Group> : null}
          {offered.map((command) => option(command))}
        </Cmdk.List>
        <p role="status" className="px-5 pb-4 text-soft empty:hidden">
          {offered.length === 0 ? `No results for “${isolate(typed.trim())}”.` : null}
        </p>
      </Cmdk>
      {/* A document navigation clears all data of the previous user. */}
      <form ref={signOut} method="post" action={href("/sign-out")} hidden />
    </>
  );
}

/** Selects the first command until the user moves. cmdk would keep the first command of the earliest results. */
function useSelectedCommand(typed: string, opening: Command[], commands: Command[]) {
  const [chosen, setChosen] = useState<{ typed: string; opening: Command[]; key: string } | null>(null);
  const hasMoved = useRef(false);
  const isCurrent = chosen?.typed === typed && chosen.opening === opening && commands.some(({ key }) => key === chosen.key);
  return {
    value: (isCurrent ? chosen?.key : commands[0]?.key) ?? "",
    onValueChange(key: string) {
      if (hasMoved.current) setChosen({ typed, opening, key });
    },
    onKeyDownCapture(event: KeyboardEvent) {
      hasMoved.current = /^(?:Arrow|Home|End)/.test(pressedKey(event.nativeEvent));
    },
    onPointerMoveCapture() {
      hasMoved.current = true;
    },
  };
}
