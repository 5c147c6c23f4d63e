import { useEffect, useEffectEvent, useRef, useState } from "react";
import { anchorAt, type Box, fractionAt } from "~/features/comments/anchor";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import { sendPointer } from "../own-tab";
import type { Tab } from "../people";
import { LatestSender } from "./latest-sender";
import { visiblePart } from "./viewport";

const INTERVAL_MS = 220;

type SendPointerOptions = { tabs: readonly Tab[]; image: DesignImage; box: Box | null; layer: HTMLElement | null };

export function useSendPointer({ tabs, image, box, layer }: SendPointerOptions): void {
  const here = tabs.filter(({ imageId }) => imageId === image._id);
  const isWatched = here.some(({ isMe }) => isMe) && here.some(({ isMe, isWatching, isAway }) => !isMe && isWatching && !isAway);
  const [sender] = useState(() => new LatestSender(sendPointer, INTERVAL_MS));
  const pointer = useRef<{ x: number; y: number } | null>(null);
  const last = useRef("");
  const rotation = image.rotation ?? 0;

  const push = useEffectEvent(() => {
    if (!isWatched || !box || !layer) return;
    const stage = { width: layer.clientWidth, height: layer.clientHeight };
    const at = pointer.current && anchorAt(fractionAt(pointer.current, box), rotation);
    const place = {
      imageId: image._id,
      ...(at && { pointer: { x: round(at.x), y: round(at.y) } }),
      viewport: visiblePart(box, stage, rotation),
    };
    const text = JSON.stringify(place);
    if (text === last.current) return;
    last.current = text;
    sender.push(place);
  });
  useEffect(() => {
    last.current = "";
    sender.clear();
    push();
  }, [isWatched, image._id, sender]);
  useEffect(() => push(), [box?.left, box?.top, box?.width, box?.height, rotation]);
  useEffect(() => {
    const stage = layer?.parentElement;
    if (!layer || !stage) return;
    const controller = new AbortController();
    const options = { signal: controller.signal, passive: true };
    const move = ({ clientX, clientY }: PointerEvent) => {
      const { left, top } = layer.getBoundingClientRect();
      pointer.current = { x: clientX - left, y: clientY - top };
      push();
    };
    stage.addEventListener("pointermove", move, options);
    stage.addEventListener("pointerdown", move, options);
    const leave = ({ pointerType }: PointerEvent) => {
      if (pointerType === "touch") return;
      pointer.current = null;
      push();
    };
    stage.addEventListener("pointerleave", leave, options);
    return () => controller.abort();
  }, [layer]);
}

const round = (fraction: number): number => Math.round(fraction * 10_000) / 10_000;
