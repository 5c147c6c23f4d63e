import { describe, expect, it } from "vitest";
import { pressedKey } from "./keys";

const press = (key: string, code: string, more: { shiftKey?: boolean; isComposing?: boolean } = {}) =>
  pressedKey({ key, code, shiftKey: false, isComposing: false, ...more });

describe("pressedKey", () => {
  it.each([
    ["Russian", ["л", "и", "я", "а", "ш", "п", "с", "ф"]],
    ["Greek", ["κ", "β", "ζ", "φ", "ι", "γ", "ψ", "α"]],
    ["Hebrew", ["ל", "נ", "ז", "כ", "ן", "ע", "ב", "ש"]],
    ["Arabic", ["ن", "لا", "ئ", "ب", "ه", "ل", "ؤ", "ش"]],
    ["Thai", ["า", "ิ", "ผ", "ด", "ร", "เ", "แ", "ฟ"]],
    ["Korean", ["ㅏ", "ㅠ", "ㅋ", "ㄹ", "ㅑ", "ㅎ", "ㅊ", "ㅁ"]],
  ])("is the letter at the key's position on a %s layout", (_layout, letters) => {
    const keys = ["K", "B", "Z", "F", "I", "G", "C", "A"];
    expect(letters.map((letter, index) => press(letter, `Key${keys[index]}`))).toEqual(keys.map((place) => place.toLowerCase()));
  });

  it.each([
    ["Dvorak", "k", "KeyV", "k"],
    ["Dvorak", "t", "KeyK", "t"],
    ["Dvorak", ";", "KeyZ", ";"],
    ["AZERTY", "z", "KeyW", "z"],
    ["AZERTY", "w", "KeyZ", "w"],
    ["QWERTZ", "z", "KeyY", "z"],
    ["AZERTY", "é", "Digit2", "é"],
    ["Turkish", "ı", "KeyI", "ı"],
    ["caps lock", "K", "KeyK", "k"],
  ])("is the letter of a Latin layout: %s %s", (_layout, key, code, expected) => {
    expect(press(key, code)).toBe(expected);
  });

  it.each([
    ["؟", "Slash", "?"],
    ["?", "Digit7", "?"],
    ["1", "Digit1", "1"],
  ])("is the character typed with Shift: %s", (key, code, expected) => {
    expect(press(key, code, { shiftKey: true })).toBe(expected);
  });

  it.each([
    ["۱", "Digit1", "1"],
    ["٢", "Numpad2", "2"],
    ["ｋ", "KeyK", "k"],
    [" ", "Space", " "],
    ["Escape", "Escape", "Escape"],
    ["ArrowLeft", "ArrowLeft", "ArrowLeft"],
    ["Process", "KeyK", "Process"],
    ["Dead", "KeyK", "Dead"],
  ])("reads %s on %s", (key, code, expected) => {
    expect(press(key, code)).toBe(expected);
  });

  it("returns an empty string while an input method composes text", () => {
    expect(["k", "л", "Escape", "Enter"].map((key) => press(key, "KeyK", { isComposing: true }))).toEqual(["", "", "", ""]);
  });
});
