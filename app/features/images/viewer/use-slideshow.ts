import { useEffect, useEffectEvent, useState } from "react";
import { announce } from "~/lib/ui/overlays/announcer";
import { isElsewhere } from "~/lib/ui/inputs/keys";

const SLIDE_MS = 4000;

export function useSlideshow(image: { _id: string; name: string }, turn: (side: "next") => boolean) {
  const [isPlaying, setPlaying] = useState(false);
  const toggle = () => {
    announce(isPlaying ? "Slideshow paused" : "Slideshow started");
    setPlaying(!isPlaying);
  };
  const advance = useEffectEvent(() => {
    if (isElsewhere(document.activeElement) || turn("next")) return;
    announce("Slideshow ended");
    setPlaying(false);
  });
  const announceImage = useEffectEvent(() => announce(image.name));
  useEffect(() => {
    if (!isPlaying) return;
    announceImage();
    const timer = setInterval(advance, SLIDE_MS);
    return () => clearInterval(timer);
  }, [isPlaying, image._id]);
  return { isPlaying, toggle };
}
