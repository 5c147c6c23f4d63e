import { useState, useSyncExternalStore } from "react";

export type Animation = {
  isPlaying: boolean;
  isChosen: boolean;
  toggle: () => void;
};

export function useAnimation(imageId: string): Animation {
  const isReduced = useSyncExternalStore(
    listen,
    () => matchMedia(REDUCED_MOTION).matches,
    () => false,
  );
  const [choice, setChoice] = useState<{ imageId: string; isPlaying: boolean } | null>(null);
  const isChosen = choice?.imageId === imageId;
  const isPlaying = isChosen ? choice.isPlaying : !isReduced;
  return { isPlaying, isChosen, toggle: () => setChoice({ imageId, isPlaying: !isPlaying }) };
}

const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";

function listen(onChange: () => void): () => void {
  const query = matchMedia(REDUCED_MOTION);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}
