import { useLocation } from "react-router";
import { LATER_PAGES, type ListPage } from "~/data/pages";
import { ButtonLink } from "./button";

type MorePagesProps = {
  /** "projects", "images": what the list is of. */
  things: string;
  page: Pick<ListPage<unknown>, "isFirst" | "next">;
};

/** Leads on in a list that is longer than a page, and back to its beginning. Nothing where one page is all. */
export function MorePages({ things, page: { isFirst, next } }: MorePagesProps) {
  const { pathname, search } = useLocation();
  const pageAfter = (cursor: string | null) => {
    const params = new URLSearchParams(search);
    if (cursor === null) params.delete(LATER_PAGES);
    else params.set(LATER_PAGES, cursor);
    return { pathname, search: params.toString() };
  };
  if (isFirst && next === null) return null;
  return (
    <nav aria-label={`More ${things}`} className="flex gap-2">
      {isFirst ? null : <ButtonLink to={pageAfter(null)}>First {things}</ButtonLink>}
      {next === null ? null : <ButtonLink to={pageAfter(next)}>More {things}</ButtonLink>}
    </nav>
  );
}
