import { ArrowDownUp, Check } from "lucide";
import { useLocation } from "react-router";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { SORT } from "~/lib/data/pagination/sorting";
import { buttonClass } from "../inputs/button";
import { Icon } from "../icons/icon";
import { Menu, MenuLink } from "../overlays/menu";

type SortMenuProps = {
  orders: [sort: string, label: string][];
};

export const LIST_ORDERS: SortMenuProps["orders"] = [
  ["changed", "Last changed"],
  ["name", "Name"],
  ["created", "Newest"],
  ["manual", "Manual"],
];
export const IMAGE_ORDERS: SortMenuProps["orders"] = [
  ["manual", "Manual"],
  ["name", "Name"],
  ["created", "Newest"],
  ["size", "Largest"],
  ["type", "Type"],
];
const REVERSE = new Map([
  ["name-desc", "Name (Z to A)"],
  ["created-asc", "Oldest"],
  ["size-asc", "Smallest"],
  ["type-desc", "Type (Z to A)"],
]);

export function sortedSearch(search: string, sort: string | null): string {
  const params = new URLSearchParams(search);
  params.delete(LATER_PAGES);
  params.delete(SORT);
  if (sort !== null) params.set(SORT, sort);
  return params.toString();
}

export function SortMenu({ orders }: SortMenuProps) {
  const { search } = useLocation();
  const requested = new URLSearchParams(search).get(SORT);
  const current = orders.find(([sort]) => sort === requested) ?? reverse(requested) ?? orders[0];
  const to = (sort: string) => ({ search: sortedSearch(search, sort === orders[0]?.[0] ? null : sort) });
  return (
    <>
      <button type="button" popoverTarget="sort-menu" className={buttonClass()}>
        <Icon of={ArrowDownUp} />
        <span className="max-sm:sr-only">Sort: {current?.[1]}</span>
      </button>
      <Menu id="sort-menu" label="Sort by" className="w-44 min-w-0">
        {orders.map(([sort, label]) => (
          <MenuLink
            key={sort}
            to={to(sort)}
            replace
            preventScrollReset
            data-command={`Sort: ${label}`}
            aria-current={sort === current?.[0] ? "true" : undefined}
            icon={<Icon of={Check} className={sort === current?.[0] ? undefined : "invisible"} />}
          >
            {label}
          </MenuLink>
        ))}
      </Menu>
    </>
  );
}

function reverse(sort: string | null): [sort: string, label: string] | undefined {
  const label = sort === null ? undefined : REVERSE.get(sort);
  return sort !== null && label !== undefined ? [sort, label] : undefined;
}
