import { describe, expect, it } from "vitest";
import { imageSrcSet, nearestWidth } from "./image-address";

describe("imageSrcSet", () => {
  it("lists every width below the picture's own, then the first that contains it", () => {
    expect(imageSrcSet("i1", 500)).toBe("/images/i1?w=160 160w, /images/i1?w=320 320w, /images/i1?w=480 480w, /images/i1?w=640 500w");
  });
  it("contains each width once", () => {
    expect(imageSrcSet("i1", 320)).toBe("/images/i1?w=160 160w, /images/i1?w=320 320w");
  });
  it("returns the original pixels of the requested version", () => {
    expect(imageSrcSet("i1", 200, { versionId: "v2", still: true }, { exact: true })).toBe(
      "/images/i1?w=160&version=v2&still=1 160w, /images/i1?w=own&version=v2&still=1 200w",
    );
  });
  it("ends at the largest width for a wider picture", () => {
    expect(imageSrcSet("i1", 9000).split(", ").at(-1)).toBe("/images/i1?w=3840 3840w");
  });
  it("returns the nearest larger width", () => {
    expect([1, 160, 161, 3840, 9999].map(nearestWidth)).toEqual([160, 160, 320, 3840, 3840]);
  });
});
