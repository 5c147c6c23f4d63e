import { isAPIError } from "better-auth/api";
import { z } from "zod";
import { accountIntent, type AccountIntent, type FormRequest } from "~/features/accounts/account-action.server";
import { authFor } from "~/features/accounts/auth-api/auth.server";
import { createInvitationToken, INVITATION } from "~/features/accounts/invitations/invitations.server";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { queueMail } from "~/features/accounts/mail/queue.server";
import { Rejection } from "~/features/accounts/rejection.server";
import { convexFor } from "~/lib/data/convex.server";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { api } from "#convex/_generated/api";
import { runAsAdministrator, runAfterRecentSignIn } from "../administrator-action.server";
import { endSubscriptionsOf } from "./end-subscriptions.server";

const { people, invitations } = api.admin;

const GIGABYTE = 1_000_000_000;
const person = z.object({ userId: z.string().min(1) });

export const invitationFields = z.object({
  email: z.string("Enter an email address.").trim().toLowerCase().pipe(z.email("Invalid email").max(254, "Invalid email")),
});

export const quotaFields = person.extend({
  quota: z
    .string()
    .trim()
    .refine((text) => /^\d{1,6}(?:[.,]\d{1,3})?$/.test(text), "Enter a number of gigabytes, like 10 or 0.5.")
    .transform((text) => Math.round(Number(text.replace(",", ".")) * GIGABYTE))
    .optional(),
});

export const deletionFields = person.extend({ confirmation: z.string("Type the email address.").trim() });

export const invitationIntents = {
  inviteToInstallation: accountIntent({
    schema: invitationFields,
    fieldOf: { "*": "email" },
    async run({ email }, request) {
      const config = request.context.get(configContext);
      if (config.accounts.signUp === "closed")
        throw new Rejection("Sign-up is closed. Set ACCOUNTS_SIGN_UP to invited first.", { status: 422, code: "SIGN_UP_CLOSED" });
      const { token, tokenHash } = createInvitationToken();
      await runAsAdministrator(request, invitations.create, { email, tokenHash });
      const link = `${config.publicUrl}/sign-up?${new URLSearchParams({ [INVITATION]: token })}`;
      if (mailProviderLink(config) !== null) await queueMail(config, { kind: "invitation", to: email, name: "", url: link });
      return { show: { invitationLink: link } };
    },
  }),

  revokeInvitation: accountIntent({
    schema: z.object({ email: z.string().min(1) }),
    async run({ email }, request) {
      if ((await runAsAdministrator(request, invitations.revoke, { email })) === 0)
        throw new Rejection("This invitation was already accepted or revoked.", { status: 404, code: "INVITATION_NOT_FOUND" });
      return {};
    },
  }),
};

type PersonAction = (request: FormRequest, fields: z.output<typeof person>) => Promise<unknown>;

const personIntent = (action: PersonAction, done?: string): AccountIntent =>
  accountIntent({
    schema: person,
    async run(fields, request) {
      await action(request, fields);
      return done === undefined ? {} : { done };
    },
  });

export const personIntents = {
  disablePerson: personIntent((request, fields) => runAfterRecentSignIn(request, people.disable, fields)),
  enablePerson: personIntent((request, fields) => runAsAdministrator(request, people.enable, fields)),
  signOutPerson: personIntent((request, fields) => runAfterRecentSignIn(request, people.signOutEverywhere, fields), "person-signed-out"),
  resetSecondFactor: personIntent(
    (request, fields) => runAfterRecentSignIn(request, people.resetSecondFactor, fields),
    "second-factor-reset",
  ),
  resendVerification: personIntent((request, { userId }) => resendVerification(userId, request), "verification-sent"),
  removeAdministrator: personIntent((request, fields) => runAfterRecentSignIn(request, people.removeRole, fields), "administrator-removed"),

  setQuota: accountIntent({
    schema: quotaFields,
    async run({ userId, quota }, request) {
      await runAfterRecentSignIn(request, people.setQuota, { userId, bytes: quota ?? null });
      return { done: "quota-saved" };
    },
  }),

  deletePerson: accountIntent({
    schema: deletionFields,
    fieldOf: { NOT_CONFIRMED: "confirmation" },
    async run({ userId, confirmation }, request) {
      const { value: shown } = await convexFor(request.context).preload(people.get, { userId });
      if (confirmation.toLowerCase() !== shown.email.toLowerCase())
        throw new Rejection(`Type ${shown.email} to confirm.`, { status: 422, code: "NOT_CONFIRMED" });
      await runAfterRecentSignIn(request, people.expectRemovable, { userId });
      await endSubscriptionsOf(userId, request);
      await runAfterRecentSignIn(request, people.remove, { userId });
      setFlash(request.context, "The account is deleted.");
      return { leave: "/admin" };
    },
  }),
};

async function resendVerification(userId: string, { request, context }: FormRequest): Promise<void> {
  const { value: shown } = await convexFor(context).preload(people.get, { userId });
  const config = context.get(configContext);
  if (mailProviderLink(config) === null)
    throw new Rejection("This installation does not send email. Set SMTP_URL first.", { status: 422, code: "NO_MAIL" });
  if (shown.emailVerified) throw new Rejection("This address is already verified.", { status: 422, code: "ALREADY_VERIFIED" });
  try {
    await authFor(config, request).api.sendVerificationEmail({ body: { email: shown.email } });
  } catch (error) {
    if (!isAPIError(error) || error.statusCode >= 500) throw error;
    throw new Rejection(error.message, { status: error.statusCode, code: "NOT_SENT" });
  }
}

declare module "~/lib/forms/intents" {
  interface IntentTables {
    invitationsToInstallation: typeof invitationIntents;
    administeredPerson: typeof personIntents;
  }
}
