import { expect, it } from "vitest";
import { folderNames } from "./folder-names";

it("numbers equal names, ignoring case", () => {
  const name = folderNames();
  expect(["Poster", "poster", "Poster", "Poster (2)"].map((each) => name(each))).toEqual([
    "Poster",
    "poster (2)",
    "Poster (3)",
    "Poster (2) (2)",
  ]);
});

it(
  "keeps a picture's extension last and replaces one that does not fit its type",
  { tags: "@keeps-pictures-extension-last-replaces-does" },
  () => {
    const name = folderNames();
    expect([name("a.b.png", "image/png"), name("a.b.png", "image/png"), name("a", "image/jpeg"), name("a.JPG", "image/jpeg")]).toEqual([
      "a.b.png",
      "a.b (2).png",
      "a.jpg",
      "a (2).JPG",
    ]);
  },
);

it("keeps every name inside its folder", { tags: "@keeps-every-name-inside-folder" }, () => {
  const name = folderNames();
  for (const evil of ["../../etc/passwd", "/etc/passwd", "..", ".", "C:\\Windows", "a\u0000b", "\u202egnp.exe"]) {
    expect(name(evil)).not.toMatch(/[/\\:\u0000\u202e]|^\.+$/);
  }
});

it("removes characters that reorder or hide text, also where that makes names equal", () => {
  const name = folderNames();
  const given = ["photo\u202Egnp.exe.png", "photo\u{E0041}gnp.exe\u2066.png", "\u200B\u3164.png", "\u2800"];
  expect(given.map((each) => name(each, "image/png"))).toEqual(["photognp.exe.png", "photognp.exe (2).png", "image.png", "image (2).png"]);
});

it("numbers names that are canonically equivalent in Unicode", () => {
  const name = folderNames();
  expect(["é", "e\u0301"].map((each) => name(each))).toEqual(["\u00e9", "\u00e9 (2)"]);
});

it("limits names to 255 bytes with number and extension and splits no character", () => {
  const name = folderNames();
  const long = `${"ä👩‍🎨".repeat(40)}.png`;
  const names = [name(long, "image/png"), name(long, "image/png"), name("界".repeat(200))];
  expect(new Set(names).size).toBe(3);
  for (const each of names) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(255);
  expect(names[0]).toMatch(/^(?:ä👩‍🎨)+ä?\.png$/u);
  expect(names[1]).toMatch(/^(?:ä👩‍🎨)+ä? \(2\)\.png$/u);
});

it("avoids the device names that Windows reserves", () => {
  const name = folderNames();
  expect([name("NUL"), name("con.png", "image/png"), name("COM1.x"), name("console")]).toEqual(["_NUL", "_con.png", "_COM1.x", "console"]);
});
