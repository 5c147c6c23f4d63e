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
