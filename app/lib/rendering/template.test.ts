import { array, assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { filled, templateOf } from "./template.server";

const NONCE = "7d0f7f0a-6c0e-4a52-a3a5-5d1f5f3f8a11";
const DATA = "0b6b6f5e-9a4e-4e2b-8a4b-2f9be6a4e3c7";
const placeholders = new Map([
  ["nonce", NONCE],
  ["data", DATA],
]);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

it("replaces the values that differ per response", () => {
  const template = templateOf(`<script nonce="${NONCE}">x(${DATA})</script><b>ü</b><script nonce="${NONCE}"></script>`, placeholders);
  const page = text(
    filled(
      template,
      new Map([
        ["nonce", "n1"],
        ["data", `"${DATA} $& n1"`],
      ]),
    ),
  );
  expect(page).toBe(`<script nonce="n1">x("${DATA} $& n1")</script><b>ü</b><script nonce="n1"></script>`);
  expect(
    text(
      filled(
        template,
        new Map([
          ["nonce", "n2"],
          ["data", "2"],
        ]),
      ),
    ),
  ).toContain('x(2)</script><b>ü</b><script nonce="n2">');
});

it("leaves other text unchanged", () => {
  assert(
    property(array(string({ unit: "grapheme" })), (parts) => {
      const page = text(
        filled(
          templateOf(parts.join(NONCE), placeholders),
          new Map([
            ["nonce", "|"],
            ["data", ""],
          ]),
        ),
      );
      expect(page).toBe(parts.join("|"));
    }),
  );
});

it("throws for a missing value instead of sending an incomplete page", () => {
  expect(() => filled(templateOf(`a${NONCE}`, placeholders), new Map())).toThrow("nonce");
});
