import { useEffect, useRef } from "react";
import { type Location, NavigationType, useBlocker, useLocation, useNavigation } from "react-router";
import { useSuperseded } from "~/data/new-build";
import { Button } from "~/ui/button";
import { useFocusAfterNavigation, useFocusAfterRemoval } from "~/ui/focus";
import { isToasterStanding, toast } from "~/ui/toasts";
import { Pill } from "./pill";

/**
 * Keeps navigations from ending badly. After a new build the open tab is told, and its next navigation loads a document; without a network the
 * page that somebody has stays, instead of an error in its place. Afterwards the focus is where it belongs.
 */
export function NavigationGuard() {
  const superseded = useSuperseded();
  useLeaveAnew(superseded);
  useTargetAfterReload();
  useFocusAfterNavigation();
  useFocusAfterRemoval();
  return (
    <>
      <div role="status" className="sr-only">
        {superseded ? NEWER : ""}
      </div>
      {superseded ? (
        <Pill>
          <p className="pl-3.5">{NEWER}</p>
          <Button look="primary" size="sm" className="rounded-full" onClick={() => location.reload()}>
            Reload
          </Button>
        </Pill>
      ) : null}
    </>
  );
}

const NEWER = "There is a new version of Atelier.";

function useLeaveAnew(superseded: boolean): void {
  const blocker = useBlocker(({ currentLocation, nextLocation, historyAction }) => {
    if (currentLocation.pathname === nextLocation.pathname) return false;
    if (!navigator.onLine) return isToasterStanding();
    return superseded && historyAction !== NavigationType.Pop;
  });
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (navigator.onLine) return location.assign(addressOf(blocker.location));
    blocker.reset();
    void toast("You are offline. This page stays until you are back.");
  }, [blocker]);

  // The way back has changed the address already, and so has a navigation that has only just brought the news.
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (superseded) location.reload();
  }, [pathname, superseded]);
}

const TARGET = "atelier:target";

/**
 * React Router reloads the page when a file of the one that it leads to is gone, since another build is there now. Then the way is gone on to
 * where it was to lead.
 */
function useTargetAfterReload(): void {
  const { location: next } = useNavigation();
  useEffect(() => {
    const target = sessionStorage.getItem(TARGET);
    sessionStorage.removeItem(TARGET);
    if (target !== null && isReload()) location.replace(target);
  }, []);
  useEffect(() => {
    if (!next) return;
    sessionStorage.setItem(TARGET, addressOf(next));
    return () => sessionStorage.removeItem(TARGET);
  }, [next]);
}

function isReload(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && entry.type === "reload";
}

const addressOf = ({ pathname, search, hash }: Location) => pathname + search + hash;
