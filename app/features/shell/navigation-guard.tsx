import { useEffect, useRef } from "react";
import { type Location, NavigationType, useBlocker, useLocation } from "react-router";
import { useHasNewBuild } from "~/lib/data/connection/new-build";
import { reachServer } from "~/lib/data/connection/reach-server";
import { useLoadRequestedPage, useLoadRouteModules } from "~/lib/data/route-modules";
import { useRoot } from "~/lib/data/use-root";
import { Button } from "~/lib/ui/inputs/button";
import { useFocusAfterNavigation, useFocusAfterRemoval } from "~/lib/ui/inputs/focus";
import { isToasterReady, toast } from "~/lib/ui/overlays/toasts";
import { StatusPill } from "./status-pill";

export function NavigationGuard() {
  const superseded = useHasNewBuild();
  useLeaveAnew(superseded);
  useLoadRequestedPage();
  useLoadRouteModules(useRoot()?.build.file);
  useFocusAfterNavigation();
  useFocusAfterRemoval();
  return (
    <>
      <div role="status" className="sr-only">
        {superseded ? NEWER : ""}
      </div>
      {superseded ? (
        <StatusPill>
          <p className="ps-3.5">{NEWER}</p>
          <Button variant="primary" size="sm" className="rounded-full" onClick={() => location.reload()}>
            Reload
          </Button>
        </StatusPill>
      ) : null}
    </>
  );
}

const NEWER = "There is a new version of Atelier.";

function useLeaveAnew(superseded: boolean): void {
  const blocker = useBlocker(({ currentLocation, nextLocation, historyAction }) => {
    if (currentLocation.pathname === nextLocation.pathname) return false;
    if (!navigator.onLine) return isToasterReady();
    return superseded && historyAction !== NavigationType.Pop;
  });
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (navigator.onLine) return location.assign(addressOf(blocker.location));
    let isCurrent = true;
    // Some systems report being offline although the server can be reached.
    reachServer().then(
      () => void (isCurrent && blocker.proceed()),
      () => {
        if (!isCurrent) return;
        blocker.reset();
        void toast("You're offline. Links work again when the connection is back.");
      },
    );
    return () => void (isCurrent = false);
  }, [blocker]);

  // A back navigation, or the navigation that detected the new build, has already changed the URL.
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (superseded) location.reload();
  }, [pathname, superseded]);
}

const addressOf = ({ pathname, search, hash }: Location) => pathname + search + hash;
