/** A scale is CSS pixels per pixel of the picture; positions are offsets from the stage's centre in CSS pixels. */
export type Size = { width: number; height: number };
export type Point = { x: number; y: number };
export type View = Point & { scale: number };

export type Scene = {
  stage: Size;
  picture: Size;
  corner: Point;
  density: number;
  scalable: boolean;
};

export type Fitting = "fit" | "actual" | "fill" | "free";

/** Returns the scale of 100%: one picture pixel per device pixel, or one unit of a drawing per CSS pixel. */
function actualScale({ density, scalable }: Scene): number {
  return scalable ? 1 : 1 / density;
}

/** Fits the picture to the stage. Enlarges it at most to its size without JavaScript, which ignores the pixel density. */
export function fitScale({ stage, picture, scalable }: Scene): number {
  const fitScale = Math.min(stage.width / picture.width, stage.height / picture.height);
  return scalable ? fitScale : Math.min(fitScale, 1);
}

function fillScale({ stage, picture }: Scene): number {
  return Math.max(stage.width / picture.width, stage.height / picture.height);
}

const CLOSEST = 16;

function limits(scene: Scene): { least: number; most: number } {
  const [fit, fill, actual] = [fitScale(scene), fillScale(scene), actualScale(scene)];
  return { least: Math.min(fit, actual), most: Math.max(CLOSEST * actual, fill, fit) };
}

export function viewOf(fitting: Fitting, scene: Scene, at: Point = MIDDLE): View {
  if (fitting === "fill") return clampView({ ...at, scale: fillScale(scene) }, scene);
  if (fitting === "actual") return clampView({ ...at, scale: actualScale(scene) }, scene);
  return clampView({ ...MIDDLE, scale: fitScale(scene) }, scene);
}

const MIDDLE: Point = { x: 0, y: 0 };

/** Returns the nearest valid view. At 100%, it aligns pixels with the screen's to avoid blur. */
export function clampView({ scale: requestedScale, x, y }: View, scene: Scene): View {
  const { least, most } = limits(scene);
  const scale = Math.min(most, Math.max(least, requestedScale));
  const { stage, picture, density, corner } = scene;
  const clampOffset = (offset: number, room: number, length: number, from: number) => {
    const maxOffset = Math.max(0, (length * scale - room) / 2);
    const clamped = Math.min(maxOffset, Math.max(-maxOffset, offset));
    if (!isActual(scale, scene)) return clamped;
    const start = from + room / 2 + clamped - (length * scale) / 2;
    return clamped + Math.round(start * density) / density - start;
  };
  return { scale, x: clampOffset(x, stage.width, picture.width, corner.x), y: clampOffset(y, stage.height, picture.height, corner.y) };
}

/** Zooms and keeps `point` (from the stage's centre) in place. */
export function zoomBy(view: View, factor: number, point: Point, scene: Scene): View {
  const { least, most } = limits(scene);
  const scale = Math.min(most, Math.max(least, view.scale * factor));
  const applied = scale / view.scale;
  return clampView({ scale, x: point.x - (point.x - view.x) * applied, y: point.y - (point.y - view.y) * applied }, scene);
}

export function panBy(view: View, by: Point, scene: Scene): View {
  return clampView({ ...view, x: view.x + by.x, y: view.y + by.y }, scene);
}

export function pinch(view: View, before: [Point, Point], after: [Point, Point], scene: Scene): View {
  const [from, to] = [between(before), between(after)];
  const fingerDistance = distance(before);
  const moved = panBy(view, { x: to.x - from.x, y: to.y - from.y }, scene);
  return fingerDistance === 0 ? moved : zoomBy(moved, distance(after) / fingerDistance, to, scene);
}

const STEPS = [0.05, 0.1, 0.17, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16];

export function step(view: View, direction: "in" | "out", scene: Scene, at: Point = MIDDLE): View {
  const actual = actualScale(scene);
  const now = view.scale / actual;
  const next = direction === "in" ? STEPS.find((each) => each > now * 1.01) : STEPS.findLast((each) => each < now * 0.99);
  return zoomBy(view, (next ?? now) / now, at, scene);
}

export function toggleZoom(view: View, scene: Scene, at: Point): { fitting: Fitting; view: View } {
  const [fit, actual] = [fitScale(scene), actualScale(scene)];
  if (view.scale > fit * 1.01) return { fitting: "fit", view: viewOf("fit", scene) };
  if (actual > fit * 1.01) return { fitting: "actual", view: zoomBy(view, actual / view.scale, at, scene) };
  return { fitting: "free", view: zoomBy(view, 2, at, scene) };
}

export function isLarger(view: View, { stage, picture }: Scene): boolean {
  return picture.width * view.scale > stage.width + 0.5 || picture.height * view.scale > stage.height + 0.5;
}

export function percent(view: View, scene: Scene): number {
  return Math.round((100 * view.scale) / actualScale(scene));
}

function isActual(scale: number, scene: Scene): boolean {
  return !scene.scalable && Math.abs(scale / actualScale(scene) - 1) < 1e-6;
}

export function boxOf(view: View, { stage, picture }: Scene): Size & { left: number; top: number } {
  const [width, height] = [picture.width * view.scale, picture.height * view.scale];
  return { width, height, left: stage.width / 2 + view.x - width / 2, top: stage.height / 2 + view.y - height / 2 };
}

export function boxWithin(box: ReturnType<typeof boxOf>, picture: Size): ReturnType<typeof boxOf> {
  const scale = Math.min(box.width / picture.width, box.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { width, height, left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2 };
}

const between = ([a, b]: [Point, Point]): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const distance = ([a, b]: [Point, Point]): number => Math.hypot(a.x - b.x, a.y - b.y);
