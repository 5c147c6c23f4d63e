import sharp from "sharp";
import { expect, it } from "vitest";
import { twoFactorSetup } from "./two-factor-setup.server";

const uri = "otpauth://totp/Atelier:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Atelier&digits=6&period=30";

it("groups the secret for typing", () => {
  expect(twoFactorSetup(uri, ["a"])).toMatchObject({ uri, secret: "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP", codes: ["a"] });
});

it("draws a QR code with three finder patterns and a quiet zone", async () => {
  const { size, path } = twoFactorSetup(uri, [])?.qr ?? { size: 0, path: "" };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`;
  const { data } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
  const dark = (x: number, y: number) => (data[y * size + x] ?? 255) < 128;
  const row = (y: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, x) => (dark(from + x, y) ? "#" : ".")).join("");
  for (const [x, y] of [
    [4, 4],
    [size - 11, 4],
    [4, size - 11],
  ] as const) {
    expect(row(y, x, x + 7)).toBe("#######");
    expect(row(y + 1, x, x + 7)).toBe("#.....#");
    expect(row(y + 3, x, x + 7)).toBe("#.###.#");
  }
  for (let y = 0; y < 4; y++) expect(row(y, 0, size)).toBe(".".repeat(size));
});

it.each(["", "https://evil.example", "otpauth://totp/x", "otpauth://totp/x?secret=<script>", `otpauth://totp/x?secret=${"A".repeat(700)}`])(
  "rejects %s",
  (text) => {
    expect(twoFactorSetup(text, [])).toBeNull();
  },
);
