/**
 * Whether an embedded ICC profile (ICC.1:2022) reaches clearly past sRGB, as Display P3, Adobe RGB and the profiles of Macs' screens do: by
 * the triangle that its primaries span. Pictures in it keep their colours by being served in Display P3; all others become sRGB.
 */
export function isWideGamut(profile: Buffer | undefined): boolean {
  if (!profile || profile.length < 132 || profile.toString("latin1", 16, 20) !== "RGB ") return false;
  const corners = ["rXYZ", "gXYZ", "bXYZ"].map((tag) => chromaticity(profile, tag));
  const [red, green, blue] = corners;
  return Boolean(red && green && blue && area(red, green, blue) > 1.1 * SRGB_AREA);
}

type Point = { x: number; y: number };

function chromaticity(profile: Buffer, tag: string): Point | null {
  const tags = Math.min(profile.readUInt32BE(128), Math.floor((profile.length - 132) / 12));
  for (let at = 132; at < 132 + tags * 12; at += 12) {
    if (profile.toString("latin1", at, at + 4) !== tag) continue;
    const offset = profile.readUInt32BE(at + 4);
    if (offset + 20 > profile.length) return null;
    const [X = 0, Y = 0, Z = 0] = [8, 12, 16].map((part) => profile.readInt32BE(offset + part) / 65_536);
    const sum = X + Y + Z;
    return sum > 0 ? { x: X / sum, y: Y / sum } : null;
  }
  return null;
}

function area(a: Point, b: Point, c: Point): number {
  return Math.abs((a.x * (b.y - c.y) + b.x * (c.y - a.y) + c.x * (a.y - b.y)) / 2);
}

/** IEC 61966-2-1's primaries, adapted to ICC's white (D50), as in every sRGB profile. */
const SRGB_AREA = area({ x: 0.6484, y: 0.3309 }, { x: 0.3212, y: 0.5979 }, { x: 0.1559, y: 0.066 });
