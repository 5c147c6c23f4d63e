import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import type { AdjacentImages, Side } from "./adjacent-images";

/** Returns `targetId`, the image of a pending navigation, or null. The viewer shows it at once, and arrow keys start from it. */
export function useOpenImage(designId: string, imageId: string) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const { image: addressOf } = useItemAddresses();
  const [target, setTarget] = useState<{ id: string } | null>(null);
  const open = useCallback(
    (id: string) => {
      const own = { id };
      setTarget(own);
      const to = addressOf(designId, id);
      // React may render the page after the navigation has ended. Without the target, the previous image would appear until then.
      const end = () => {
        if (location.pathname !== to) setTarget((now) => (now === own ? null : now));
      };
      Promise.resolve(navigate(to, { replace: true, state, preventScrollReset: true })).then(end, end);
    },
    [designId, navigate, state, addressOf],
  );
  const hasArrived = target?.id === imageId;
  useEffect(() => {
    if (hasArrived) setTarget(null);
  }, [hasArrived]);
  return { targetId: target?.id ?? null, open };
}

export function useImageNavigation(adjacent: AdjacentImages, open: (id: string) => void) {
  const waiting = useRef(0);
  const showAdjacent = (side: Side): boolean => {
    const to = adjacent[side];
    if (to === null && !adjacent.isPending) return false;
    if (to === null) {
      waiting.current += side === "next" ? 1 : -1;
    } else {
      waiting.current = 0;
      open(to);
    }
    return true;
  };
  const openPending = useEffectEvent(() => {
    const side = waiting.current > 0 ? "next" : "previous";
    const steps = Math.abs(waiting.current);
    waiting.current = 0;
    if (steps === 0 || !showAdjacent(side)) return;
    waiting.current = side === "next" ? steps - 1 : 1 - steps;
  });
  useEffect(() => {
    if (!adjacent.isPending) openPending();
  }, [adjacent.isPending]);
  return showAdjacent;
}
