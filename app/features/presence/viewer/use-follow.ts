import type { FunctionReturnType } from "convex/server";
import { useEffect, useEffectEvent, useRef } from "react";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import type { Zoom } from "~/features/images/viewer/use-zoom";
import { isDrawing } from "~/features/images/viewer/viewer-canvas";
import { isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";
import { isolate } from "~/lib/ui/isolate";
import { announce } from "~/lib/ui/overlays/announcer";
import type { api } from "#convex/_generated/api";
import { follow, useChoices } from "../choices";
import type { Tab } from "../people";
import { viewOfPart } from "./viewport";

type FollowOptions = {
  tabs: readonly Tab[];
  pointers: FunctionReturnType<typeof api.presence.listPointers>;
  image: DesignImage;
  zoom: Zoom;
  layer: HTMLElement | null;
  open: (imageId: string) => void;
};

export function useFollow({ tabs, pointers, image, zoom, layer, open }: FollowOptions) {
  const { following } = useChoices();
  const followed = tabs.find(({ _id }) => _id === following);
  const name = useRef("");
  if (followed) name.current = isolate(followed.name);

  const start = ({ _id, name: chosen }: Tab) => {
    follow(_id);
    announce(`Following ${isolate(chosen)}`);
  };
  const end = (text: string) => {
    follow(null);
    announce(text);
  };
  const stop = () => end(`Stopped following ${name.current}`);
  const stopByEffect = useEffectEvent(stop);

  const isGone = following !== null && tabs.length > 0 && !followed;
  const endWhenGone = useEffectEvent(() => end(name.current === "" ? "Stopped following" : `${name.current} left. Stopped following`));
  useEffect(() => {
    if (isGone) endWhenGone();
  }, [isGone]);

  useEscape(following !== null, stop);
  useImageOf(followed, image._id, open, stop);

  const key = `${following} ${image._id} ${image.rotation}`;
  const placedFor = useRef("");
  const viewport = pointers.find(({ presenceId }) => presenceId === following)?.viewport;
  const isOwn = placedFor.current === key && !zoom.isPlaced;
  const place = useEffectEvent(() => {
    if (!viewport || !layer) return;
    const stage = { width: layer.clientWidth, height: layer.clientHeight };
    placedFor.current = key;
    zoom.place(viewOfPart(viewport, image.rotation ?? 0, { stage, picture: image, scalable: isDrawing(image) }));
  });
  useEffect(() => {
    if (following === null) placedFor.current = "";
    else if (isOwn) stopByEffect();
    else place();
  }, [following, key, isOwn, layer, viewport?.x, viewport?.y, viewport?.width, viewport?.height]);

  useEffect(() => () => follow(null), []);
  return { start, stop, name: following !== null && followed ? followed.name : null };
}

function useEscape(isFollowing: boolean, stop: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (pressedKey(event) !== "Escape" || isElsewhere(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    stop();
  });
  // Listens in the capture phase, before Escape closes the viewer.
  useEffect(() => {
    if (!isFollowing) return;
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [isFollowing]);
}

function useImageOf(followed: Tab | undefined, shownId: string, open: (imageId: string) => void, stop: () => void): void {
  const before = useRef<{ shownId: string; followedId: string | undefined; opened: string }>({
    shownId,
    followedId: followed?._id,
    opened: shownId,
  });
  const update = useEffectEvent((tabId: string | undefined, wanted: string | undefined) => {
    const { current } = before;
    const isNew = tabId !== current.followedId;
    const isOwn = shownId !== current.shownId && shownId !== current.opened && shownId !== wanted;
    current.followedId = tabId;
    current.shownId = shownId;
    if (tabId === undefined) return;
    if (isOwn && !isNew) return stop();
    if (wanted === undefined || wanted === shownId) return;
    current.opened = wanted;
    open(wanted);
  });
  useEffect(() => update(followed?._id, followed?.imageId), [followed?._id, followed?.imageId, shownId]);
}
