import { ChevronRight } from "lucide";
import { Fragment } from "react";
import { clsx } from "clsx";
import { Icon } from "../icons/icon";
import { Link } from "./link";

export function Breadcrumb({ trail }: { trail: { to: string; name: string }[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex min-w-0 items-center gap-1 text-sm text-faint">
        {trail.map(({ to, name }, index) => (
          <Fragment key={to}>
            {index > 0 ? (
              <li aria-hidden="true" className="flex">
                <Icon of={ChevronRight} className="size-3.5 rtl:-scale-x-100" />
              </li>
            ) : null}
            <li className={clsx("pointer-coarse:min-w-11", index < trail.length - 1 ? "max-w-[40%] shrink-0" : "min-w-0")}>
              <Link to={to} prefetch="intent" dir="auto" className="block truncate rounded-sm py-1 hover:text-ink pointer-coarse:py-3">
                {name}
              </Link>
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}
