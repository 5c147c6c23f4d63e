import { describe, expect, it } from "vitest";
import { attachment } from "./file-name";

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
    ["Cafe\u0301.png", "Café.png"],
    ["\u200B.bashrc", "bashrc.png"],
    ["a\u{E0041}\u2060.png", "a.png"],
    ["طرح\u200cها.png", "طرح\u200cها.png"],
    ["..\u200D..", "image.png"],
    ["\u200B.png", "image.png"],
    ["\u2800.png", "image.png"],
    [".PNG", "image.PNG"],
    ["PNG", "PNG.png"],
    ["\u3164", "image.png"],
    ["  ...  ", "image.png"],
    ["half \uD83D.png", "half \uFFFD.png"],
  ])("%j is saved as %j", (name, expected) => expect(saved(name)).toBe(expected));

  it("has an ASCII form that cannot end the quotes", { tags: "@has-ascii-form-cannot-end-quotes" }, () => {
    expect(attachment('a "quoted" ü%.png', "image/png")).toMatch(/^attachment; filename="a -quoted- __\.png"; /);
  });
  it("accepts every extension of a type", () => expect(saved("a.jpeg", "image/jpeg")).toBe("a.jpeg"));
  it("uses the name of the document for a page", () => {
    expect(saved("brief (page 2).pdf", "application/pdf")).toBe("brief.pdf");
    expect(saved("notes (page 2).png")).toBe("notes (page 2).png");
  });
});
