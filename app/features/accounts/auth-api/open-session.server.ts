import { makeSignature } from "better-auth/crypto";
import type { AppConfig } from "~/config";
import { cookieNames } from "../session/cookies";
import { authFor } from "./auth.server";

/** Returns the Cookie header of a new session. Only for the restored copy in which a backup is tested. */
export async function openSession(config: AppConfig, userId: string): Promise<string> {
  const { internalAdapter, secret } = await authFor(config, new Request(config.publicUrl)).$context;
  const { token } = await internalAdapter.createSession(userId);
  const { session } = cookieNames(new URL(config.publicUrl).origin);
  return `${session}=${encodeURIComponent(`${token}.${await makeSignature(token, secret)}`)}`;
}
