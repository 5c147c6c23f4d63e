import { type MouseEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";
import { connectedConvex } from "~/lib/data/connection/connection";
import type { Endless } from "~/lib/data/pagination/use-endless";
import { LATER_PAGES, type ListPage } from "~/lib/data/pagination/pages";
import { appendAnnouncement } from "../overlays/announcer";
import { ButtonLink } from "../inputs/button";

type MorePagesProps = {
  itemNoun: string;
  page: Pick<ListPage<unknown>, "isFirst" | "next"> & Partial<Pick<Endless<unknown>, "more" | "loading">>;
};

export function MorePages({ itemNoun: things, page: { isFirst, next, more, loading = false } }: MorePagesProps) {
  const { pathname, search } = useLocation();
  const pageAfter = (cursor: string | null) => {
    const params = new URLSearchParams(search);
    if (cursor === null) params.delete(LATER_PAGES);
    else params.set(LATER_PAGES, cursor);
    return { pathname, search: params.toString() };
  };
  const nav = useRef<HTMLElement>(null);
  useNearness(nav, next !== null && !loading ? more : undefined);
  const moveFocusAfter = useArrival(nav, things, loading);

  function follow(event: MouseEvent) {
    if (!more || !connectedConvex() || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    moveFocusAfter();
    if (!loading) more();
  }

  if (isFirst && next === null) return null;
  return (
    <nav ref={nav} aria-label={`More ${things}`} className="flex gap-2">
      {isFirst ? null : <ButtonLink to={pageAfter(null)}>First {things}</ButtonLink>}
      {next === null ? null : (
        <ButtonLink to={pageAfter(next)} prefetch={more ? "none" : "intent"} onClick={follow} aria-busy={loading}>
          {loading ? `Loading more ${things}…` : `More ${things}`}
        </ButtonLink>
      )}
    </nav>
  );
}

const AHEAD = "100%";

export function useNearness(nav: RefObject<HTMLElement | null>, more: (() => void) | undefined): void {
  const near = useEffectEvent(() => more?.());
  const on = more !== undefined;
  useEffect(() => {
    if (!on || !nav.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && near(), { rootMargin: `0px 0px ${AHEAD} 0px` });
    observer.observe(nav.current);
    return () => observer.disconnect();
  }, [nav, on]);
}

function useArrival(nav: RefObject<HTMLElement | null>, things: string, loading: boolean): () => void {
  const lastBefore = useRef<Element | null>(null);
  const waited = useRef(false);
  useLayoutEffect(() => {
    const arrived = waited.current && !loading;
    waited.current = loading;
    if (!arrived) return;
    appendAnnouncement(`More ${things} are shown.`);
    const items = itemsOfPage();
    const next = lastBefore.current && items[items.indexOf(lastBefore.current) + 1];
    next?.querySelector<HTMLElement>("a[href], input, button")?.focus({ preventScroll: true });
    lastBefore.current = null;
  }, [loading, things]);
  return () => {
    const before = itemsOfPage().filter((item) => nav.current && isBefore(item, nav.current));
    lastBefore.current = before.at(-1) ?? null;
  };
}

const itemsOfPage = () => [...document.querySelectorAll("main li")];
const isBefore = (item: Element, other: Element) => (item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
