import { cutText } from "#convex/model/cutText";

/** Returns whether an ICC profile (ICC.1:2022) is clearly wider than sRGB. Compares the triangles of the primaries. */
export function isWideGamut(profile: Buffer | undefined): boolean {
  if (!profile || profile.length < 132 || profile.toString("latin1", 16, 20) !== "RGB ") return false;
  const corners = ["rXYZ", "gXYZ", "bXYZ"].map((tag) => chromaticity(profile, tag));
  const [red, green, blue] = corners;
  return Boolean(red && green && blue && area(red, green, blue) > 1.1 * SRGB_AREA);
}

/** Returns the profile's name (ICC.1:2022, 9.2.41; plain text before version 4) or the default colour space. */
export function colourSpaceName(profile: Buffer | undefined, space: string | undefined): string | undefined {
  const named = profile && profileName(profile);
  if (named) return named;
  const names: Record<string, string> = { srgb: "sRGB", rgb16: "sRGB", cmyk: "CMYK", "b-w": "Grey", grey16: "Grey" };
  return names[space ?? ""];
}

const LONGEST_NAME = 60;

function profileName(profile: Buffer): string | undefined {
  const found = tagOf(profile, "desc");
  if (!found || found.length < 28) return undefined;
  const type = found.toString("latin1", 0, 4);
  let name = "";
  if (type === "desc") name = found.toString("latin1", 12, 12 + Math.min(found.readUInt32BE(8), 2 * LONGEST_NAME));
  if (type === "mluc") {
    const [length, offset] = [found.readUInt32BE(20), found.readUInt32BE(24)];
    name = Buffer.from(found.subarray(offset, offset + Math.min(length & ~1, 4 * LONGEST_NAME)))
      .swap16()
      .toString("utf16le");
  }
  const plain = cutText((name.split("\0", 1)[0] ?? "").toWellFormed().replace(/\p{C}/gu, "").trim(), LONGEST_NAME).trimEnd();
  if (/^srgb\b/i.test(plain)) return "sRGB";
  return plain === "" ? undefined : plain;
}

function tagOf(profile: Buffer, tag: string): Buffer | null {
  if (profile.length < 132) return null;
  const tags = Math.min(profile.readUInt32BE(128), Math.floor((profile.length - 132) / 12));
  for (let at = 132; at < 132 + tags * 12; at += 12) {
    if (profile.toString("latin1", at, at + 4) !== tag) continue;
    const offset = profile.readUInt32BE(at + 4);
    return profile.subarray(offset, offset + profile.readUInt32BE(at + 8));
  }
  return null;
}

type Point = { x: number; y: number };

function chromaticity(profile: Buffer, tag: string): Point | null {
  const found = tagOf(profile, tag);
  if (!found || found.length < 20) return null;
  const [X = 0, Y = 0, Z = 0] = [8, 12, 16].map((part) => found.readInt32BE(part) / 65_536);
  const sum = X + Y + Z;
  return sum > 0 ? { x: X / sum, y: Y / sum } : null;
}

function area(a: Point, b: Point, c: Point): number {
  return Math.abs((a.x * (b.y - c.y) + b.x * (c.y - a.y) + c.x * (a.y - b.y)) / 2);
}

/** Primaries of IEC 61966-2-1, adapted to D50 as in every sRGB profile. */
const SRGB_AREA = area({ x: 0.6484, y: 0.3309 }, { x: 0.3212, y: 0.5979 }, { x: 0.1559, y: 0.066 });

/** Returns `colour_primaries` (ITU-T H.273) of a container's `colr` box (ISO/IEC 14496-12, 12.1.5) of type "nclx". */
export function nclxPrimaries(container: Buffer): number | undefined {
  const at = container.subarray(0, 64 * 1024).indexOf("colrnclx", 0, "latin1");
  return at === -1 || at + 10 > container.length ? undefined : container.readUInt16BE(at + 8);
}
