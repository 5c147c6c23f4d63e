import { expect, it } from "vitest";
import { folderNames } from "./folder-names";

it("numbers what has one name, also where upper and lower case are one", () => {
  const name = folderNames();
  expect(["Poster", "poster", "Poster", "Poster (2)"].map((each) => name(each))).toEqual([
    "Poster",
    "poster (2)",
    "Poster (3)",
    "Poster (2) (2)",
  ]);
});

it("keeps a picture's end at its end, and gives it the one that its type has", () => {
  const name = folderNames();
  expect([name("a.b.png", "image/png"), name("a.b.png", "image/png"), name("a", "image/jpeg"), name("a.JPG", "image/jpeg")]).toEqual([
    "a.b.png",
    "a.b (2).png",
    "a.jpg",
    "a (2).JPG",
  ]);
});

it("leads nowhere else, whatever something is called", () => {
  const name = folderNames();
  for (const evil of ["../../etc/passwd", "/etc/passwd", "..", ".", "C:\\Windows", "a\u0000b", "\u202egnp.exe"]) {
    expect(name(evil)).not.toMatch(/[/\\:\u0000\u202e]|^\.+$/);
  }
});

it("numbers what is the same letter for letter, however it is composed", () => {
  const name = folderNames();
  expect(["é", "e\u0301"].map((each) => name(each))).toEqual(["é", "e\u0301 (2)"]);
});

it("fits every file system, with its number and its end, and breaks no character", () => {
  const name = folderNames();
  const long = `${"ä👩‍🎨".repeat(40)}.png`;
  const names = [name(long, "image/png"), name(long, "image/png"), name("界".repeat(200))];
  expect(new Set(names).size).toBe(3);
  for (const each of names) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(255);
  expect(names[0]).toMatch(/^(?:ä👩‍🎨)+ä?\.png$/u);
  expect(names[1]).toMatch(/^(?:ä👩‍🎨)+ä? \(2\)\.png$/u);
});

it("gives no name that Windows keeps for a device", () => {
  const name = folderNames();
  expect([name("NUL"), name("con.png", "image/png"), name("COM1.x"), name("console")]).toEqual(["_NUL", "_con.png", "_COM1.x", "console"]);
});
