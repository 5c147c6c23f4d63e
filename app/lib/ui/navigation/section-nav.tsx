import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { NavLink } from "./link";

type SectionNavProps = { label: string; links: readonly { to: string; label: string }[] };

export function SectionNav({ label, links }: SectionNavProps) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current=page]");
    if (nav.current && current) nav.current.scrollLeft += centerOf(current) - centerOf(nav.current);
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className="-mx-4 overflow-x-auto border-b px-4 md:mx-0 md:px-0">
      <ul className="flex w-max gap-3.5 sm:gap-5">
        {links.map((link) => (
          <li key={link.to}>
            <NavLink
              to={link.to}
              end
              prefetch="intent"
              className="-mb-px flex h-10 items-center border-b-2 border-transparent text-soft hover:text-ink aria-[current=page]:border-accent-text aria-[current=page]:text-ink pointer-coarse:h-11 pointer-coarse:min-w-11"
            >
              {link.label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function centerOf(element: Element): number {
  const { left, right } = element.getBoundingClientRect();
  return (left + right) / 2;
}
