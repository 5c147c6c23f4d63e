import type { Rotation } from "./versionTables";

const ROTATIONS: readonly Rotation[] = [0, 90, 180, 270];
const TURNS = { left: 270, right: 90 } as const;

export const rotationAfter = (rotation: Rotation = 0, direction: keyof typeof TURNS): Rotation =>
  ROTATIONS[((rotation + TURNS[direction]) % 360) / 90] ?? 0;
