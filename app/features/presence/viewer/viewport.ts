import { rotateAnchor, type Box } from "~/features/comments/anchor";
import type { Rotation } from "~/features/images/display/image-address";
import { fitScale, type Scene, type Size, type View } from "~/features/images/viewer/zoom";

/** A part of an image, in fractions (0 to 1) of the image without its rotation. */
type Part = { x: number; y: number; width: number; height: number };

export function visiblePart(box: Box, stage: Size, rotation: Rotation): Part {
  const [x, width] = visibleRange(box.left, box.width, stage.width);
  const [y, height] = visibleRange(box.top, box.height, stage.height);
  return rounded(rotateAnchor({ x, y, width, height }, BACK[rotation]));
}

function visibleRange(start: number, length: number, room: number): [from: number, share: number] {
  const from = clamp(-start / length);
  return [from, Math.max(0, clamp((room - start) / length) - from)];
}

function rounded({ x, y, width, height }: Part): Part {
  const [left, top] = [round(clamp(x)), round(clamp(y))];
  return { x: left, y: top, width: Math.min(round(width), 1 - left), height: Math.min(round(height), 1 - top) };
}

export const isPartial = ({ width, height }: Part): boolean => Math.min(width, height) < WHOLE;

export function viewOfPart(part: Part, rotation: Rotation, scene: Pick<Scene, "stage" | "picture" | "scalable">): View {
  const { stage, picture } = scene;
  if (!isPartial(part)) return { scale: fitScale({ ...scene, corner: { x: 0, y: 0 }, density: 1 }), x: 0, y: 0 };
  const { x, y, width, height } = rotateAnchor(part, rotation);
  const scale = Math.min(stage.width / Math.max(width * picture.width, 1), stage.height / Math.max(height * picture.height, 1));
  return { scale, x: (0.5 - x - width / 2) * picture.width * scale, y: (0.5 - y - height / 2) * picture.height * scale };
}

const WHOLE = 0.999;
const BACK: Record<Rotation, Rotation> = { 0: 0, 90: 270, 180: 180, 270: 90 };
const clamp = (fraction: number): number => Math.min(1, Math.max(0, fraction));
const round = (fraction: number): number => Math.round(fraction * 10_000) / 10_000;
