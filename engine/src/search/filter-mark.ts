import { createHash } from "node:crypto";
import { encodeKey } from "../values/keys.ts";
import type { Json } from "../values/types.ts";

/** Returns a word for the value of the filter field at `place`, so that equal values of any type and length have equal words. */
export function filterMark(place: number, value: Json | undefined): string {
  return `f${place}x${createHash("sha256")
    .update(encodeKey([value]))
    .digest("hex")
    .slice(0, 32)}`;
}
