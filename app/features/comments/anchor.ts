import type { Rotation } from "~/features/images/display/image-address";

/** A point of an image, or a rectangle with its upper left corner, in fractions (0 to 1) of the image without its rotation. */
export type Anchor = { x: number; y: number; width?: number | undefined; height?: number | undefined };

type Point = { x: number; y: number };
export type Box = { left: number; top: number; width: number; height: number };

/** Minimum drag that places an area, in CSS pixels. A shorter drag places a point. */
const MIN_AREA_SIDE = 8;

export function rotateAnchor({ x, y, width = 0, height = 0 }: Anchor, rotation: Rotation): Required<Anchor> {
  if (rotation === 90) return { x: 1 - y - height, y: x, width: height, height: width };
  if (rotation === 180) return { x: 1 - x - width, y: 1 - y - height, width, height };
  if (rotation === 270) return { x: y, y: 1 - x - width, width: height, height: width };
  return { x, y, width, height };
}

const BACK: Record<Rotation, Rotation> = { 0: 0, 90: 270, 180: 180, 270: 90 };

export function boxOnStage(anchor: Anchor, box: Box, rotation: Rotation): Box {
  const turned = rotateAnchor(anchor, rotation);
  return {
    left: box.left + turned.x * box.width,
    top: box.top + turned.y * box.height,
    width: turned.width * box.width,
    height: turned.height * box.height,
  };
}

export function anchorBetween(from: Point, to: Point, box: Box, rotation: Rotation): Anchor {
  const [start, end] = [fractionAt(from, box), fractionAt(to, box)];
  const [x, y] = [Math.min(start.x, end.x), Math.min(start.y, end.y)];
  const [width, height] = [Math.abs(start.x - end.x), Math.abs(start.y - end.y)];
  const isPoint = width * box.width < MIN_AREA_SIDE || height * box.height < MIN_AREA_SIDE;
  return isPoint ? anchorAt(start, rotation) : within(rotateAnchor({ x, y, width, height }, BACK[rotation]));
}

export function anchorAt(fraction: Point, rotation: Rotation): Anchor {
  const { x, y } = rotateAnchor(fraction, BACK[rotation]);
  return { x: clamp(x), y: clamp(y) };
}

/** Returns the fractions of the displayed image at a point of the stage, or at the image's nearest edge. */
export function fractionAt({ x, y }: Point, { left, top, width, height }: Box): Point {
  return { x: clamp((x - left) / width), y: clamp((y - top) / height) };
}

export function movedBy(fraction: Point, by: Point, { width, height }: Box): Point {
  return { x: clamp(fraction.x + by.x / width), y: clamp(fraction.y + by.y / height) };
}

/** Returns how far to pan, in CSS pixels, so that a box is on the stage with some space around it. */
export function panToShow({ left, top, width, height }: Box, stage: { width: number; height: number }): Point {
  return { x: shift(left, width, stage.width), y: shift(top, height, stage.height) };
}

const MARGIN = 48;

function shift(start: number, length: number, room: number): number {
  const margin = Math.min(MARGIN, room / 4);
  if (length > room - 2 * margin) return room / 2 - (start + length / 2);
  return Math.max(margin - start, 0) + Math.min(room - margin - start - length, 0);
}

export function positionText(anchor: Anchor, rotation: Rotation): string {
  const { x, y, width, height } = rotateAnchor(anchor, rotation);
  return `${percent(x + width / 2)} from the left, ${percent(y + height / 2)} from the top`;
}

const percent = (fraction: number): string => `${Math.round(fraction * 100)}%`;

/** Clamps a rectangle, because rounding could move its edge out of the image, which the server rejects. */
function within({ x, y, width, height }: Required<Anchor>): Anchor {
  const [left, top] = [clamp(x), clamp(y)];
  return { x: left, y: top, width: Math.min(width, 1 - left), height: Math.min(height, 1 - top) };
}

const clamp = (fraction: number): number => Math.min(1, Math.max(0, fraction));

export function isAnchor(value: unknown): value is Anchor {
  const { x, y, width, height } = Object(value) as Record<keyof Anchor, unknown>;
  const isFraction = (each: unknown) => typeof each === "number" && each >= 0 && each <= 1;
  return isFraction(x) && isFraction(y) && [width, height].every((each) => each === undefined || isFraction(each));
}
