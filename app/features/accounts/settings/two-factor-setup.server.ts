import { encode } from "uqr";
import type { TwoFactorSetup } from "../account-answer";

const QUIET = 4;
const ADDRESS = /^otpauth:\/\/totp\/[^\s<>"]{1,600}$/;

export function twoFactorSetup(uri: string, codes: string[]): TwoFactorSetup | null {
  const secret = ADDRESS.test(uri) ? URL.parse(uri)?.searchParams.get("secret") : null;
  if (!secret || !/^[A-Z2-7]+=*$/.test(secret)) return null;
  return { uri, secret: secret.replace(/=+$/, "").replace(/.{4}(?=.)/g, "$& "), qr: qrCode(uri), codes };
}

function qrCode(text: string): TwoFactorSetup["qr"] {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const runs = data.map((row, y) =>
    runsOf(row)
      .map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)
      .join(""),
  );
  return { size, path: runs.join("") };
}

function runsOf(row: boolean[]): [x: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (!dark) continue;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
