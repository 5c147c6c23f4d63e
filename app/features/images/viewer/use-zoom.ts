import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { listenToGestures } from "./gestures";
import { boxOf, type Fitting, isLarger, panBy, percent, type Scene, clampView, type Size, step, type View, viewOf } from "./zoom";

type ZoomOptions = {
  picture: Size;
  scalable: boolean;
  onSwipe?: (to: "previous" | "next") => void;
  onTap?: () => void;
  onDismiss?: () => void;
};

type ZoomState = { fitting: Fitting; view: View; isPlaced?: boolean };

const AT_FIRST: ZoomState = { fitting: "fit", view: { scale: 1, x: 0, y: 0 } };

/** Several stages of the same size can share this state. Until they are measured, `box` is null and CSS fits the picture. */
export function useZoom({ picture: { width, height }, scalable, ...handlers }: ZoomOptions) {
  const [measured, setMeasured] = useState<Pick<Scene, "stage" | "corner" | "density"> | null>(null);
  const [zoomState, setZoomState] = useState<ZoomState>(AT_FIRST);
  const scene = useMemo<Scene | null>(
    () => measured && { ...measured, picture: { width, height }, scalable },
    [measured, width, height, scalable],
  );
  const view =
    scene && (zoomState.fitting === "free" ? clampView(zoomState.view, scene) : viewOf(zoomState.fitting, scene, zoomState.view));

  const latest = useRef({ scene, view, handlers });
  useLayoutEffect(() => {
    latest.current = { scene, view, handlers };
  });
  const show = useCallback((next: View, fitting: Fitting = "free") => {
    latest.current.view = next;
    setZoomState({ view: next, fitting });
  }, []);

  const stage = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return;
      const measure = () => {
        const { x, y, width: wide, height: high } = element.getBoundingClientRect();
        setMeasured({ stage: { width: wide, height: high }, corner: { x, y }, density: devicePixelRatio });
      };
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      const stop = listenToGestures(element, {
        now: () => {
          const { scene: latestScene, view: latestView } = latest.current;
          return latestScene && latestView && { scene: latestScene, view: latestView };
        },
        show,
        swipe: (to) => latest.current.handlers.onSwipe?.(to),
        tap: () => latest.current.handlers.onTap?.(),
        dismiss: () => latest.current.handlers.onDismiss?.(),
      });
      return () => {
        observer.disconnect();
        stop();
      };
    },
    [show],
  );

  const act = useMemo(() => {
    const change = (make: (view: View, scene: Scene) => View, fitting?: Fitting) => {
      const { scene: latestScene, view: latestView } = latest.current;
      if (latestScene && latestView) show(make(latestView, latestScene), fitting);
    };
    return {
      fit: (fitting: Fitting) => change((_, scene) => viewOf(fitting, scene), fitting),
      step: (direction: "in" | "out") => change((view, scene) => step(view, direction, scene)),
      pan: (x: number, y: number) => change((view, scene) => panBy(view, { x, y }, scene)),
      place: (placed: View) => setZoomState({ view: placed, fitting: "free", isPlaced: true }),
    };
  }, [show]);

  return {
    stage,
    fitting: zoomState.fitting,
    box: scene && view && boxOf(view, scene),
    percent: scene && view && percent(view, scene),
    magnification: scene && view ? view.scale * scene.density : null,
    isPlaced: zoomState.isPlaced === true,
    isLarger: scene !== null && view !== null && isLarger(view, scene),
    ...act,
  };
}

export type Zoom = ReturnType<typeof useZoom>;

const STRIDE = 80;

export function zoomByKey(event: KeyboardEvent, zoom: Zoom): boolean {
  const key = pressedKey(event);
  const arrows: Record<string, [number, number]> = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const arrow = arrows[key];
  if (arrow && zoom.isLarger) zoom.pan(arrow[0] * STRIDE, arrow[1] * STRIDE);
  else if (key === "+" || key === "=") zoom.step("in");
  else if (key === "-" || key === "_") zoom.step("out");
  else if (key === "0") zoom.fit("fit");
  else if (key === "1") zoom.fit("actual");
  else if (key === "2") zoom.fit("fill");
  else return false;
  return true;
}
