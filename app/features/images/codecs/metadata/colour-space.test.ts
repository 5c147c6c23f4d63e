import { expect, it } from "vitest";
import { colourSpaceName } from "./colour-space.server";

/** Returns a profile with one `desc` tag of version 4 (ICC.1:2022, 10.15). */
function profileNamed(name: string): Buffer {
  const text = Buffer.from(name, "utf16le").swap16();
  const profile = Buffer.alloc(132 + 12 + 28 + text.length);
  profile.writeUInt32BE(1, 128);
  profile.write("desc", 132, "latin1");
  profile.writeUInt32BE(144, 136);
  profile.writeUInt32BE(28 + text.length, 140);
  profile.write("mluc", 144, "latin1");
  profile.writeUInt32BE(text.length, 144 + 20);
  profile.writeUInt32BE(28, 144 + 24);
  text.copy(profile, 144 + 28);
  return profile;
}

it("returns the name of a profile", () => {
  expect(colourSpaceName(profileNamed("Display P3"), "srgb")).toBe("Display P3");
});

it("cuts a long name before a character that crosses the limit", () => {
  expect(colourSpaceName(profileNamed(`${"x".repeat(59)}😀`), "srgb")).toBe("x".repeat(59));
});
