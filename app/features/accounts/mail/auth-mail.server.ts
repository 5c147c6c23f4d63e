import { decodeJwt } from "jose";
import type { AppConfig } from "~/config";
import type { CodePurpose } from "./messages";
import { secondsUntilAllowed } from "./rate-limit.server";
import { queueMail } from "./queue.server";
import { mailProviderLink } from "./mail-provider-link";

type Recipient = { id?: string; email: string; name: string; emailVerified?: boolean };
type WithLink = { user: Recipient; url: string };
export type FindUser = (email: string) => Promise<Recipient | null>;

const AFTER = {
  confirmed: "/verify-email?state=confirmed",
  changing: "/verify-email?state=changing",
  changed: "/verify-email?state=changed",
};

/** Returns Better Auth's mail options. Without a mail transport all are empty, so Better Auth answers with the specification's errors. */
export function authMail(config: AppConfig) {
  if (mailProviderLink(config) === null)
    return { emailAndPassword: {}, emailVerification: {}, changeEmail: {}, deleteUser: {}, secondFactor: {} };

  return {
    emailAndPassword: {
      sendResetPassword: ({ user, url }: WithLink) =>
        queueMail(
          config,
          { kind: "resetPassword", ...addressed(user), ...verificationState(user), url: withRedirectTarget(url, "/reset-password") },
          user.id,
        ),
      /** With required verification, sign-up hides that the address is taken, so this email informs the account's owner. */
      onExistingUserSignUp: ({ user }: { user: Recipient }) =>
        queueMail(config, { kind: "alreadySignedUp", ...addressed(user), url: `${config.publicUrl}/sign-in` }, user.id),
    },

    emailVerification: {
      sendVerificationEmail: async ({ user, url, token }: WithLink & { token: string }, request?: Request) => {
        // Every sign-in with a correct password triggers this email (specification 4).
        if (request && isSignIn(request) && (await secondsUntilAllowed(config, "verify", user.email)) > 0) return;
        const isNew = decodeJwt(token)["updateTo"] !== undefined;
        if (user.emailVerified && !isNew) return;
        const link = withRedirectTarget(url, isNew ? AFTER.changed : AFTER.confirmed);
        await queueMail(config, { kind: isNew ? "verifyNewEmail" : "verifyEmail", ...addressed(user), url: link }, user.id);
      },
      sendOnSignUp: true,
      sendOnSignIn: config.accounts.requireEmailVerification,
    },

    changeEmail: {
      sendChangeEmailConfirmation: ({ user, newEmail, url }: WithLink & { newEmail: string }) =>
        queueMail(
          config,
          { kind: "confirmEmailChange", ...addressed(user), newEmail, url: withRedirectTarget(url, AFTER.changing) },
          user.id,
        ),
    },

    deleteUser: {
      sendDeleteAccountVerification: ({ user, url }: WithLink) =>
        queueMail(config, { kind: "deleteAccount", ...addressed(user), url }, user.id),
    },

    secondFactor: {
      sendOTP: ({ user, otp }: { user: Recipient; otp: string }) =>
        queueMail(config, { kind: "code", purpose: "two-factor", code: otp, ...addressed(user) }, user.id),
    },
  };
}

/** Sends a sign-in link. For an unknown address, queues a message without a recipient, so that timing reveals nothing. */
export async function sendSignInLink(config: AppConfig, find: FindUser, { email, url }: { email: string; url: string }): Promise<void> {
  const user = await find(email);
  await queueMail(config, user && { kind: "signInLink", ...addressed(user), ...verificationState(user), url }, user?.id);
}

export async function sendCode(config: AppConfig, find: FindUser, { email, otp, type }: { email: string; otp: string; type: CodePurpose }) {
  const user = await find(email);
  await queueMail(config, user && { kind: "code", purpose: type, code: otp, name: user.name, to: email }, user?.id);
}

const addressed = ({ email, name }: Recipient) => ({ to: email, name });

const verificationState = ({ emailVerified }: Recipient) => ({ unproven: emailVerified !== true });

const isSignIn = (request: Request) => new URL(request.url).pathname.endsWith("/sign-in/email");

function withRedirectTarget(link: string, ownTarget: string): string {
  const url = new URL(link);
  const target = url.searchParams.get("callbackURL");
  if (!target || target === "/" || target.startsWith("/verify-email?")) url.searchParams.set("callbackURL", ownTarget);
  return url.href;
}
