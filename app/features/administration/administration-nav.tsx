import { href } from "react-router";
import { NavLink } from "~/lib/ui/navigation/link";

const SECTIONS = [{ to: href("/admin"), label: "People", end: true }];

export function AdministrationNav() {
  return (
    <nav aria-label="Administration" className="-mx-4 overflow-x-auto border-b px-4 md:mx-0 md:px-0">
      <ul className="flex w-max gap-3.5 sm:gap-5">
        {SECTIONS.map(({ to, label, end }) => (
          <li key={to}>
            <NavLink
              to={to}
              end={end}
              prefetch="intent"
              className="-mb-px flex h-10 items-center border-b-2 border-transparent text-soft hover:text-ink aria-[current=page]:border-accent-text aria-[current=page]:text-ink pointer-coarse:h-11 pointer-coarse:min-w-11"
            >
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
