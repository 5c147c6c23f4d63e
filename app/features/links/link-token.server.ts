import { createHash } from "node:crypto";
import { generateRandomString } from "better-auth/crypto";
import { href } from "react-router";
import type { AppConfig } from "~/config";
import { openSealedText, sealText } from "~/lib/http/sealed-text.server";

/** 131 bits. */
const TOKEN_LENGTH = 22;
const TOKEN = new RegExp(`^[A-Za-z0-9]{${TOKEN_LENGTH}}$`);
const PURPOSE = "atelier public link";

/** Creates a token. Its hash is stored to find the link, and the sealed token to let managers copy the address. */
export function createLinkToken(config: AppConfig): { token: string; tokenHash: string; sealedToken: string } {
  const token = generateRandomString(TOKEN_LENGTH, "a-z", "A-Z", "0-9");
  return { token, tokenHash: hashLinkToken(token), sealedToken: sealText(config, PURPOSE, token) };
}

export const isLinkToken = (token: unknown): token is string => typeof token === "string" && TOKEN.test(token);

export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Returns null for a token that was sealed with another secret. The link itself still opens. */
export function linkAddress(config: AppConfig, sealedToken: string): string | null {
  try {
    return config.publicUrl + href("/s/:token", { token: openSealedText(config, PURPOSE, sealedToken) });
  } catch {
    return null;
  }
}
