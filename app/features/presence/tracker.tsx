import { useEffect, useState } from "react";
import { useLiveClient } from "~/lib/data/connection/live-provider";
import { useChoices } from "./choices";
import { ownRow, removeOwnRow } from "./own-tab";
import { useTabs } from "./use-tabs";

/** A hidden tab leaves after four minutes: browsers then run its timers once a minute, so its row would expire between heartbeats. */
const LEAVES_MS = 4 * 60_000;

type Visibility = "visible" | "away" | "left";

export function Tracker({ designId, imageId }: { designId: string; imageId: string | undefined }) {
  const tabs = useTabs(designId);
  const visibility = useVisibility();
  const { arePointersShown, following } = useChoices();
  const convex = useLiveClient();
  const [opened, setOpened] = useState(0);
  const isLoading = tabs === undefined;
  const isShown = tabs !== null && visibility !== "left";
  const isAway = visibility === "away";
  const isWatching = imageId !== undefined && (arePointersShown || following !== null);
  const itemId = imageId ?? designId;
  useEffect(() => {
    if (!isLoading) ownRow.set(isShown ? { itemId, isAway, isWatching } : null);
  }, [isLoading, isShown, itemId, isAway, isWatching, opened]);
  useEffect(() => () => ownRow.set(null), []);
  useEffect(() => {
    if (!convex) return;
    let connections = convex.connectionState().connectionCount;
    return convex.subscribeToConnectionState(({ isWebSocketConnected, connectionCount }) => {
      if (!isWebSocketConnected || connectionCount === connections) return;
      connections = connectionCount;
      ownRow.renew();
    });
  }, [convex]);
  useEffect(() => {
    const controller = new AbortController();
    addEventListener("pagehide", removeOwnRow, { signal: controller.signal });
    addEventListener("pageshow", ({ persisted }) => persisted && setOpened((times) => times + 1), { signal: controller.signal });
    return () => controller.abort();
  }, []);
  return null;
}

function useVisibility(): Visibility {
  const [visibility, setVisibility] = useState<Visibility>(document.hidden ? "away" : "visible");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      setVisibility(document.hidden ? "away" : "visible");
      if (document.hidden) timer = setTimeout(() => setVisibility("left"), LEAVES_MS);
    };
    update();
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, []);
  return visibility;
}
