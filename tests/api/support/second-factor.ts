import type { Store } from "../../harness/store.ts";
import { totp } from "../../e2e/support/totp.ts";
import { type Answer, type Member, text } from "./program.ts";

export const secretOf = (enabled: Answer) => new URL(text(enabled, "totpURI")).searchParams.get("secret") ?? "";

export async function turnOn({ program, password }: Member): Promise<{ secret: string; backup: string[] }> {
  const enabled = await program.post("/two-factor/enable", { password });
  const secret = secretOf(enabled);
  const backup = Array.from({ length: 10 }, (_, index) => text(enabled, "backupCodes", index));
  const { status } = await program.post("/two-factor/verify-totp", { code: totp(secret) });
  if (status !== 200) throw new Error(`verify-totp answered ${status}`);
  return { secret, backup };
}

export async function enableSecondFactor({ program, password, id }: Member, store: Store): Promise<void> {
  await program.post("/two-factor/enable", { password });
  await store.change("twoFactors", { userId: id }, { verified: true });
  await store.change("users", { id }, { twoFactorEnabled: true, emailVerified: true });
}
