import { Check } from "lucide";
import { useLocation } from "react-router";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { REVIEW, SORT } from "~/lib/data/pagination/sorting";
import { EmptyState } from "~/lib/ui/empty-state";
import { ButtonLink, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { Menu, MenuLink } from "~/lib/ui/overlays/menu";
import { REVIEW_FILTERS, type ReviewFilter as Filter, STATUS_NAMES } from "#convex/model/review/statuses";
import { STATUS_ICONS } from "./review-mark";

type ReviewFilterProps = { filter: Filter | undefined; choices?: readonly Filter[] };

export function ReviewFilter({ filter, choices = REVIEW_FILTERS }: ReviewFilterProps) {
  const { search } = useLocation();
  const to = (status: Filter | null) => {
    const params = new URLSearchParams(search);
    params.delete(LATER_PAGES);
    params.delete(REVIEW);
    if (status !== null) params.delete(SORT);
    if (status !== null) params.set(REVIEW, status);
    return { search: params.toString() };
  };
  return (
    <>
      <button
        type="button"
        popoverTarget="review-menu"
        className={buttonClass({}, filter === undefined ? undefined : "bg-hover text-accent-text")}
      >
        <Icon of={STATUS_ICONS[filter ?? "approved"]} />
        <span className="max-sm:sr-only">Status: {filter === undefined ? "All" : STATUS_NAMES[filter]}</span>
      </button>
      <Menu id="review-menu" label="Filter by review status" className="w-52 min-w-0">
        {[null, ...choices].map((status) => (
          <MenuLink
            key={status}
            to={to(status)}
            replace
            preventScrollReset
            prefetch="none"
            data-command={`Status: ${status === null ? "All" : STATUS_NAMES[status]}`}
            aria-current={status === (filter ?? null) ? "true" : undefined}
            icon={<Icon of={Check} className={status === (filter ?? null) ? undefined : "invisible"} />}
          >
            {status === null ? "All" : STATUS_NAMES[status]}
          </MenuLink>
        ))}
      </Menu>
    </>
  );
}

export function NoneWithStatus({ filter, things }: { filter: Filter; things: string }) {
  const { pathname } = useLocation();
  return (
    <EmptyState
      title={`No ${things} with the status “${STATUS_NAMES[filter]}”`}
      text={`Choose another status, or show all ${things}.`}
      action={<ButtonLink to={pathname}>Show all {things}</ButtonLink>}
    />
  );
}
