import { Search } from "lucide-react";
import { type ComponentProps, type ReactNode, useSyncExternalStore } from "react";
import { Form, href, NavLink } from "react-router";
import { Icon } from "~/ui/icon";
import { TextInput } from "~/ui/text-input";

/** The field of a search's form: what stands in it is `q`. */
export function SearchInput({ hint, ...props }: Omit<ComponentProps<typeof TextInput>, "className"> & { hint?: ReactNode }) {
  return (
    <span className="group/search relative block">
      <Icon of={Search} className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-faint" />
      <TextInput type="search" name="q" autoComplete="off" spellCheck={false} enterKeyHint="search" {...props} className="pl-9" />
      {hint}
    </span>
  );
}

/** Tells of the palette, for which there is no other sign, in the field as long as nothing is typed there. For the eye: /shortcuts tells it to all. */
function PaletteKey() {
  const key = useSyncExternalStore(never, paletteKey, () => "");
  return (
    <kbd
      aria-hidden="true"
      className="pointer-events-none absolute top-1/2 right-2 hidden -translate-y-1/2 rounded-sm border px-1.5 font-sans text-xs text-faint empty:hidden group-focus-within/search:hidden group-has-[input:not(:placeholder-shown)]/search:hidden md:pointer-fine:block"
    >
      {key}
    </kbd>
  );
}

const never = () => () => {};
const paletteKey = () => (/Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? "⌘K" : "Ctrl K");

/** The way to the search from every page: a field, and where the sidebar is collapsed to icons, a link. */
export function SidebarSearch({ collapsed }: { collapsed: boolean }) {
  return (
    <div className="shrink-0 px-2 pt-2">
      <Form role="search" aria-label="Everything" action={href("/search")} className="md:group-data-[sidebar=collapsed]/shell:hidden">
        <SearchInput aria-label="Search everything" placeholder="Search" hint={<PaletteKey />} />
      </Form>
      <NavLink
        to={href("/search")}
        prefetch="intent"
        data-tooltip={collapsed ? "Search" : undefined}
        data-tooltip-side="right"
        className="sidebar-item hidden! md:group-data-[sidebar=collapsed]/shell:flex!"
      >
        <Icon of={Search} />
        <span className="sr-only">Search</span>
      </NavLink>
    </div>
  );
}
