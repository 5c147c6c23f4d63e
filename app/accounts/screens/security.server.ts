import { isAPIError } from "better-auth/api";
import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { configContext } from "~/http/context";
import { authFor, PASSWORD_LENGTH } from "../auth.server";
import { accountIntent, type Asking, Refused, textOf } from "./account-action.server";
import { requireFresh } from "./fresh.server";
import { twoFactorSetup } from "./two-factor-setup.server";

const newPassword = z
  .string("Choose a password")
  .min(PASSWORD_LENGTH.min, `Use at least ${PASSWORD_LENGTH.min} characters`)
  .max(PASSWORD_LENGTH.max, `Use at most ${PASSWORD_LENGTH.max} characters`);
const password = z.string("Enter your password");
const code = z.string("Enter the code").trim();

export const changePasswordFields = z.object({
  currentPassword: z.string("Enter your current password"),
  newPassword,
  revokeOtherSessions: z.string().optional(),
});
export const setPasswordFields = z.object({ newPassword });
export const passwordFields = z.object({ password });
export const codeFields = z.object({ code });

const HERE = "/account/security";
const done = (what: string) => ({ leave: HERE, done: what });

/** What the forms of `/account/security` do. Where the session becomes another, the page is a new document. */
export const securityIntents = {
  changePassword: accountIntent({
    schema: changePasswordFields,
    beside: { INVALID_PASSWORD: "currentPassword", CREDENTIAL_ACCOUNT_NOT_FOUND: "currentPassword", "*": "newPassword" },
    async run({ currentPassword, newPassword, revokeOtherSessions }, { post }) {
      await post("/change-password", { currentPassword, newPassword, revokeOtherSessions: revokeOtherSessions !== undefined });
      return done("change-password");
    },
  }),

  setPassword: accountIntent({
    schema: setPasswordFields,
    beside: { "*": "newPassword" },
    async run({ newPassword }, asking) {
      await setPassword(newPassword, asking);
      return done("set-password");
    },
  }),

  enableTwoFactor: accountIntent({
    schema: passwordFields,
    beside: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      const { totpURI, backupCodes } = enabled.parse(await post("/two-factor/enable", { password }));
      const setup = twoFactorSetup(totpURI, backupCodes);
      if (!setup) throw new Error("Better Auth gave an address for authenticator apps that is none");
      return { show: { setup } };
    },
  }),

  verifyTwoFactor: accountIntent({
    schema: codeFields,
    beside: { INVALID_CODE: "code" },
    // Without scripts the page is made anew, and must show again what was being set up.
    keep: (sent) => {
      const setup = twoFactorSetup(textOf(sent, "uri"), textsOf(sent, "backupCode").slice(0, 20));
      return setup ? { setup } : {};
    },
    async run({ code }, { post }) {
      await post("/two-factor/verify-totp", { code: code.replaceAll(" ", "") });
      return done("two-factor-on");
    },
  }),

  disableTwoFactor: accountIntent({
    schema: passwordFields,
    beside: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      await post("/two-factor/disable", { password });
      return done("two-factor-off");
    },
  }),

  backupCodes: accountIntent({
    schema: passwordFields,
    beside: { INVALID_PASSWORD: "password" },
    async run({ password }, { post }) {
      const { backupCodes } = codes.parse(await post("/two-factor/generate-backup-codes", { password }));
      return { show: { codes: backupCodes } };
    },
  }),

  renamePasskey: accountIntent({
    schema: z.object({
      id: z.string(),
      name: z.string("Give the passkey a name").trim().min(1, "Give the passkey a name").max(100, "Use at most 100 characters"),
    }),
    beside: { "*": "name" },
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

const textsOf = (sent: FormData, field: string) => sent.getAll(field).filter((value) => typeof value === "string");

const codes = z.object({ backupCodes: z.array(z.string()) });
const enabled = codes.extend({ totpURI: z.string() });

/** How many backup codes somebody has left; null: none were ever made, since a program has switched to codes by mail alone. */
export async function backupCodesLeft(userId: string, request: Request, context: Readonly<RouterContextProvider>): Promise<number | null> {
  const { api } = authFor(context.get(configContext), request);
  try {
    return (await api.viewBackupCodes({ body: { userId } })).backupCodes.length;
  } catch (error) {
    if (isAPIError(error)) return null;
    throw error;
  }
}

/**
 * Gives a first password to somebody who has none. The endpoint is for servers only (specification 5 and 6) and asks for nothing but a session;
 * here it has to be a fresh one, or a page left open would be enough to take an account over.
 */
async function setPassword(newPassword: string, { request, context }: Asking): Promise<void> {
  await requireFresh({ request, context });
  const { api } = authFor(context.get(configContext), request);
  try {
    await api.setPassword({ body: { newPassword }, headers: request.headers });
  } catch (error) {
    if (!isAPIError(error)) throw error;
    throw new Refused(error.body?.message ?? error.message, { status: error.statusCode, code: error.body?.code ?? "" });
  }
}
