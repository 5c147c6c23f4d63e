import { expect, it } from "vitest";
import { isolate } from "./isolate";

it.each(["מגזין 2026 (טיוטה)", "مجلة ١٢", "طرح‌ها [۳]", "Cover שער"])("isolates the right-to-left name %s", (name) => {
  expect(isolate(name)).toBe(`\u2068${name}\u2069`);
});

it.each(["Cover (2)", "夏のカタログ", "ปกนิตยสาร", "🎨 2026", ""])("returns the name %j unchanged", (name) => {
  expect(isolate(name)).toBe(name);
});

it("removes controls that would end the isolate or reverse the sentence", () => {
  expect(isolate("a\u202Egnp.exe")).toBe("agnp.exe");
  expect(isolate("א\u2069ב")).toBe("\u2068אב\u2069");
});
