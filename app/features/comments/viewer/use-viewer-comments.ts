import { type ComponentType, useCallback, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { loadModule } from "~/lib/data/connection/load-module";
import { useRouteModules } from "~/lib/data/route-modules";
import { toast } from "~/lib/ui/overlays/toasts";
import type { ThreadFilter } from "../optimistic";
import { THREAD } from "../thread-address";
import type { ViewerCommentsProps } from "./viewer-comments";

export type CommentsState = {
  isOpen: boolean;
  isPlacing: boolean;
  filter: ThreadFilter;
  thread: string | null;
};

/** Loads the code of comments for the first image with comments, when the panel opens, or after the code of all pages. */
export function useViewerComments(hasComments: boolean, isOn: boolean) {
  const thread = useSearchParams()[0].get(THREAD);
  const [state, setState] = useState<CommentsState>({ isOpen: isOn && thread !== null, isPlacing: false, filter: "open", thread });
  const [Comments, setComments] = useState<ComponentType<ViewerCommentsProps> | null>(null);
  const isWanted = state.isOpen || state.isPlacing;
  const areAllLoaded = useRouteModules();
  const isNeeded = isOn && Comments === null && (isWanted || hasComments || areAllLoaded);
  useEffect(() => {
    if (!isNeeded) return;
    loadModule(() => import("./viewer-comments")).then(
      ({ ViewerComments }) => setComments(() => ViewerComments),
      () => {
        if (!isWanted) return;
        setState((now) => ({ ...now, isOpen: false, isPlacing: false }));
        void toast("The connection was lost. Comments can be opened when it is back.");
      },
    );
  }, [isNeeded, isWanted]);
  const change = useCallback((next: Partial<CommentsState>) => setState((now) => ({ ...now, ...next })), []);
  return { Comments, state, change };
}
