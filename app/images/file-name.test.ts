import { describe, expect, it } from "vitest";
import { attachment } from "./file-name";

/** What a browser saves: the full form, decoded. */
const saved = (name: string, type = "image/png") => decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(attachment(name, type))?.[1] ?? "");

describe("attachment", () => {
  it.each([
    ["plan.png", "plan.png"],
    ["Entwurf für Zoë — Ausgabe (2).png", "Entwurf für Zoë — Ausgabe (2).png"],
    ["設計.png", "設計.png"],
    ["no end", "no end.png"],
    ["PHOTO.PNG", "PHOTO.PNG"],
    ["../../.bashrc", "-..-.bashrc.png"],
    ['a"b\\c/d:e*f?g<h>i|j.png', "a-b-c-d-e-f-g-h-i-j.png"],
    ["line\r\nSet-Cookie: x=y.png", "lineSet-Cookie- x=y.png"],
    ["invoice\u202Egnp.exe", "invoicegnp.exe.png"],
    ["100%.png", "100%.png"],
    ["  ...  ", "image.png"],
    ["half \uD83D.png", "half \uFFFD.png"],
  ])("%j is saved as %j", (name, expected) => expect(saved(name)).toBe(expected));

  it("says it in ASCII as well, with nothing in it that could end the quotes", () => {
    expect(attachment('a "quoted" ü%.png', "image/png")).toMatch(/^attachment; filename="a -quoted- __\.png"; /);
  });
  it("knows every end of a type", () => expect(saved("a.jpeg", "image/jpeg")).toBe("a.jpeg"));
});
