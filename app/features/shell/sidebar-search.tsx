import { Search } from "lucide";
import { useSyncExternalStore } from "react";
import { Form, href } from "react-router";
import { SearchInput } from "~/features/search/search-input";
import { SidebarLink } from "./sidebar-link";

export function SidebarSearch({ collapsed }: { collapsed: boolean }) {
  return (
    <div className="shrink-0 px-2 pt-2">
      <Form role="search" aria-label="Everything" action={href("/search")} className="md:group-data-[sidebar=collapsed]/shell:hidden">
        <SearchInput aria-label="Search everything" placeholder="Search" hint={<PaletteKey />} />
      </Form>
      <SidebarLink
        to={href("/search")}
        name="Search"
        icon={Search}
        collapsed={collapsed}
        className="hidden! md:group-data-[sidebar=collapsed]/shell:flex!"
      />
    </div>
  );
}

function PaletteKey() {
  const key = useSyncExternalStore(never, paletteKey, () => "");
  return (
    <kbd
      aria-hidden="true"
      className="pointer-events-none absolute top-1/2 end-2 hidden -translate-y-1/2 rounded-sm border px-1.5 font-sans text-xs text-faint empty:hidden group-focus-within/search:hidden peer-not-placeholder-shown:hidden md:pointer-fine:block"
    >
      {key}
    </kbd>
  );
}

const never = () => () => {};
const paletteKey = () => (/Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? "⌘K" : "Ctrl K");
