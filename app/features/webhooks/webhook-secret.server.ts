import { randomBytes } from "node:crypto";
import type { AppConfig } from "~/config";
import { openSealedText, sealText } from "~/lib/http/sealed-text.server";

const PURPOSE = "atelier webhook";
const SECRET_BYTES = 32;

/** Returns a signing key in the format of Standard Webhooks, and the sealed key that the deployment stores. */
export function createWebhookSecret(config: AppConfig): { secret: string; sealedSecret: string } {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  return { secret, sealedSecret: sealText(config, PURPOSE, secret) };
}

export const openWebhookSecret = (config: AppConfig, sealed: string): string => openSealedText(config, PURPOSE, sealed);
