import { useLocation, useSearchParams } from "react-router";
import { LATER_PAGES } from "~/data/pages";
import { ButtonLink } from "./button";

/** Leads on in a list that is longer than a page, and back to its beginning. Nothing where one page is all. */
export function MorePages({ things, next }: { things: string; next: string | null }) {
  const { pathname } = useLocation();
  const isLater = useSearchParams()[0].has(LATER_PAGES);
  if (!isLater && next === null) return null;
  return (
    <nav aria-label={`More ${things}`} className="flex gap-2">
      {isLater ? <ButtonLink to={pathname}>First {things}</ButtonLink> : null}
      {next === null ? null : (
        <ButtonLink to={{ pathname, search: `?${LATER_PAGES}=${encodeURIComponent(next)}` }}>More {things}</ButtonLink>
      )}
    </nav>
  );
}
