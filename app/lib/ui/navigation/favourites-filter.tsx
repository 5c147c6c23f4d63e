import { Star } from "lucide";
import { useLocation } from "react-router";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { FAVOURITES } from "~/lib/data/pagination/sorting";
import { ButtonLink } from "../inputs/button";
import { EmptyState } from "../empty-state";
import { Icon } from "../icons/icon";

export function FavouritesFilter() {
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const isOn = params.has(FAVOURITES);
  params.delete(LATER_PAGES);
  if (isOn) params.delete(FAVOURITES);
  else params.set(FAVOURITES, "1");
  return (
    <ButtonLink
      to={{ search: params.toString() }}
      replace
      preventScrollReset
      prefetch="none"
      aria-current={isOn ? "true" : undefined}
      data-command={isOn ? "Show all" : "Show favourites only"}
      className={
        isOn
          ? "bg-hover text-accent-text max-sm:w-9 max-sm:px-0 pointer-coarse:max-sm:w-11"
          : "max-sm:w-9 max-sm:px-0 pointer-coarse:max-sm:w-11"
      }
    >
      <Icon of={Star} />
      <span className="max-sm:sr-only">Favourites</span>
    </ButtonLink>
  );
}

export function NoFavourites({ things: itemNoun }: { things: string }) {
  const { pathname } = useLocation();
  return (
    <EmptyState
      title="No favourites"
      text={`Add ${itemNoun} to your favourites to find them here.`}
      action={<ButtonLink to={pathname}>Show all {itemNoun}</ButtonLink>}
    />
  );
}
