import { isAPIError } from "better-auth/api";
import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { listOf, textOf } from "~/lib/forms/intents";
import { configContext } from "~/lib/http/context";
import { cleanName } from "#convex/model/names";
import { authFor, PASSWORD_LENGTH } from "../auth-api/auth.server";
import { accountIntent, type FormRequest } from "../account-action.server";
import { Rejection } from "../rejection.server";
import { requireRecentSignIn } from "./require-recent-sign-in.server";
import { twoFactorSetup } from "./two-factor-setup.server";

const newPassword = z
  .string("Choose a password.")
  .min(PASSWORD_LENGTH.min, `Use at least ${PASSWORD_LENGTH.min} characters.`)
  .max(PASSWORD_LENGTH.max, `Use at most ${PASSWORD_LENGTH.max} characters.`);
const password = z.string("Enter your password.");
const code = z.string("Enter the code.").trim();

export const changePasswordFields = z.object({
  currentPassword: z.string("Enter your current password."),
  newPassword,
  revokeOtherSessions: z.string().optional(),
});
export const setPasswordFields = z.object({ newPassword });
export const passwordFields = z.object({ password });
export const codeFields = z.object({ code });

const SECURITY_PAGE = "/account/security";
const done = (what: string) => ({ leave: SECURITY_PAGE, done: what });

export const securityIntents = {
  changePassword: accountIntent({
    schema: changePasswordFields,
    fieldOf: { INVALID_PASSWORD: "currentPassword", CREDENTIAL_ACCOUNT_NOT_FOUND: "currentPassword", "*": "newPassword" },
    async run({ currentPassword, newPassword, revokeOtherSessions }, { post }) {
      await post("/change-password", { currentPassword, newPassword, revokeOtherSessions: revokeOtherSessions !== undefined });
      return done("change-password");
    },
  }),

  setPassword: accountIntent({
    schema: setPasswordFields,
    fieldOf: { "*": "newPassword" },
    async run({ newPassword }, request) {
      await setPassword(newPassword, request);
      return done("set-password");
    },
  }),

  enableTwoFactor: accountIntent({
    schema: passwordFields,
    fieldOf: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      const { totpURI, backupCodes } = enabled.parse(await post("/two-factor/enable", { password }));
      const setup = twoFactorSetup(totpURI, backupCodes);
      if (!setup) throw new Error("Better Auth returned an invalid address for authenticator apps");
      return { show: { setup } };
    },
  }),

  verifyTwoFactor: accountIntent({
    schema: codeFields,
    otherFields: ["uri", "backupCode"],
    fieldOf: { INVALID_CODE: "code" },
    // Without JavaScript the page is rendered again and must show the setup again.
    retain: (sent) => {
      const setup = twoFactorSetup(textOf(sent, "uri"), listOf(sent, "backupCode").slice(0, 20));
      return setup ? { setup } : {};
    },
    async run({ code }, { post }) {
      await post("/two-factor/verify-totp", { code: code.replaceAll(" ", "") });
      return done("two-factor-on");
    },
  }),

  disableTwoFactor: accountIntent({
    schema: passwordFields,
    fieldOf: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      await post("/two-factor/disable", { password });
      return done("two-factor-off");
    },
  }),

  backupCodes: accountIntent({
    schema: passwordFields,
    fieldOf: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      const { backupCodes } = codes.parse(await post("/two-factor/generate-backup-codes", { password }));
      return { show: { codes: backupCodes } };
    },
  }),

  renamePasskey: accountIntent({
    schema: z.object({
      id: z.string(),
      name: z
        .string("Enter a name for the passkey.")
        .overwrite(cleanName)
        .min(1, "Enter a name for the passkey.")
        .max(100, "Use at most 100 characters."),
    }),
    fieldOf: { "*": "name" },
    async run({ id, name }, { post }) {
      await post("/passkey/update-passkey", { id, name });
      return {};
    },
  }),

  removePasskey: accountIntent({
    schema: z.object({ id: z.string() }),
    async run({ id }, { post }) {
      await post("/passkey/delete-passkey", { id });
      return {};
    },
  }),
};

const codes = z.object({ backupCodes: z.array(z.string()) });
const enabled = codes.extend({ totpURI: z.string() });

/** Returns the number of unused backup codes; null if none were created (codes by email only). */
export async function backupCodesLeft(userId: string, request: Request, context: Readonly<RouterContextProvider>): Promise<number | null> {
  const { api } = authFor(context.get(configContext), request);
  try {
    return (await api.viewBackupCodes({ body: { userId } })).backupCodes.length;
  } catch (error) {
    if (isAPIError(error)) return null;
    throw error;
  }
}

/** Sets a first password. The server-side endpoint (specification 5 and 6) only needs a session, so freshness is checked here. */
async function setPassword(newPassword: string, { request, context }: FormRequest): Promise<void> {
  await requireRecentSignIn({ request, context });
  const { api } = authFor(context.get(configContext), request);
  try {
    await api.setPassword({ body: { newPassword }, headers: request.headers });
  } catch (error) {
    if (!isAPIError(error)) throw error;
    throw new Rejection(error.body?.message ?? error.message, { status: error.statusCode, code: error.body?.code ?? "" });
  }
}

declare module "~/lib/forms/intents" {
  interface IntentTables {
    security: typeof securityIntents;
  }
}
