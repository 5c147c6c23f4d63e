import { createHash } from "node:crypto";
import type { FunctionReturnType } from "convex/server";
import { generateRandomString } from "better-auth/crypto";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";

export const INVITATION = "invitation";

const TOKEN_LENGTH = 32;

export type Invitation = NonNullable<FunctionReturnType<typeof api.accounts.invitations.find>>;

export function createInvitationToken(): { token: string; tokenHash: string } {
  const token = generateRandomString(TOKEN_LENGTH, "a-z", "A-Z", "0-9");
  return { token, tokenHash: hashInvitationToken(token) };
}

export const hashInvitationToken = (token: string): string => createHash("sha256").update(token).digest("base64url");

export const isInvitationToken = (token: unknown): token is string => typeof token === "string" && token.length === TOKEN_LENGTH;

export async function findInvitation(config: AppConfig, token: unknown): Promise<Invitation | null> {
  if (!isInvitationToken(token)) return null;
  return serviceConvex(config).query(api.accounts.invitations.find, { tokenHash: hashInvitationToken(token) });
}
