import { ArrowDownUp, Check } from "lucide-react";
import { useLocation } from "react-router";
import { LATER_PAGES } from "~/data/pages";
import { SORT } from "~/data/sorting";
import { buttonClass } from "./button";
import { Icon } from "./icon";
import { Menu, MenuLink } from "./menu";

type SortMenuProps = {
  /** The orders by their names in the address; the first is the list's own, which needs none. */
  orders: [sort: string, label: string][];
};

export const LIST_ORDERS: SortMenuProps["orders"] = [
  ["changed", "Last changed"],
  ["name", "Name"],
  ["created", "Newest"],
  ["manual", "By hand"],
];
export const IMAGE_ORDERS: SortMenuProps["orders"] = [
  ["manual", "By hand"],
  ["name", "Name"],
  ["created", "Newest"],
];

/** In which order a list comes: links, so that the choice stands in the address. */
export function SortMenu({ orders }: SortMenuProps) {
  const { search } = useLocation();
  const asked = new URLSearchParams(search).get(SORT);
  const current = orders.find(([sort]) => sort === asked) ?? orders[0];
  const to = (sort: string) => {
    const params = new URLSearchParams(search);
    params.delete(LATER_PAGES);
    params.delete(SORT);
    if (sort !== orders[0]?.[0]) params.set(SORT, sort);
    return { search: params.toString() };
  };
  return (
    <>
      <button type="button" popoverTarget="sort-menu" className={buttonClass()} aria-label={`Sort by: ${current?.[1] ?? ""}`}>
        <Icon of={ArrowDownUp} />
        <span className="max-sm:sr-only">{current?.[1]}</span>
      </button>
      <Menu id="sort-menu" label="Sort by" className="w-44 min-w-0">
        {orders.map(([sort, label]) => (
          <MenuLink
            key={sort}
            to={to(sort)}
            replace
            preventScrollReset
            data-command={`Sort by: ${label}`}
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
