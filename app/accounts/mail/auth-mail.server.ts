import { decodeJwt } from "jose";
import type { AppConfig } from "~/config";
import type { CodePurpose } from "./messages";
import { paceOf } from "./pace.server";
import { queueMail } from "./queue.server";
import { mailWay } from "./way";

type Recipient = { id?: string; email: string; name: string; emailVerified?: boolean };
type WithLink = { user: Recipient; url: string };
/** Finds out whether somebody has an account with this address. */
export type FindUser = (email: string) => Promise<Recipient | null>;

/** Where the links in mails lead, when who asked for the mail did not say. */
const AFTER = {
  confirmed: "/verify-email?state=confirmed",
  changing: "/verify-email?state=changing",
  changed: "/verify-email?state=changed",
};

/**
 * What Better Auth sends, put into the queue; each part is spread where its options belong. Where no mail leaves, it is given no way to send
 * any, and answers as the specification says ('Reset password isn't enabled', 'Verification email isn't enabled').
 */
export function authMail(config: AppConfig) {
  if (mailWay(config) === null) return { emailAndPassword: {}, emailVerification: {}, changeEmail: {}, deleteUser: {}, secondFactor: {} };

  return {
    emailAndPassword: {
      sendResetPassword: ({ user, url }: WithLink) =>
        queueMail(config, { kind: "resetPassword", ...addressed(user), ...proof(user), url: leadingTo(url, "/reset-password") }, user.id),
      /** Where signing up tells nobody that an address is taken (verification required), its owner is told. */
      onExistingUserSignUp: ({ user }: { user: Recipient }) =>
        queueMail(config, { kind: "alreadySignedUp", ...addressed(user), url: `${config.publicUrl}/sign-in` }, user.id),
    },

    emailVerification: {
      sendVerificationEmail: async ({ user, url, token }: WithLink & { token: string }, request?: Request) => {
        // Signing in with a right password asks for it each time (specification 4).
        if (request && isSignIn(request) && (await paceOf(config, "verify", user.email)) > 0) return;
        const isNew = decodeJwt(token)["updateTo"] !== undefined;
        const link = leadingTo(url, isNew ? AFTER.changed : AFTER.confirmed);
        await queueMail(config, { kind: isNew ? "verifyNewEmail" : "verifyEmail", ...addressed(user), url: link }, user.id);
      },
      sendOnSignUp: true,
      sendOnSignIn: config.accounts.requireEmailVerification,
    },

    changeEmail: {
      sendChangeEmailConfirmation: ({ user, newEmail, url }: WithLink & { newEmail: string }) =>
        queueMail(config, { kind: "confirmEmailChange", ...addressed(user), newEmail, url: leadingTo(url, AFTER.changing) }, user.id),
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

/** Sends a sign-in link; to an address without an account a message to nobody, which takes as long. */
export async function sendSignInLink(config: AppConfig, find: FindUser, { email, url }: { email: string; url: string }): Promise<void> {
  const user = await find(email);
  await queueMail(config, user && { kind: "signInLink", ...addressed(user), ...proof(user), url }, user?.id);
}

/** Sends a code; as above. */
export async function sendCode(config: AppConfig, find: FindUser, { email, otp, type }: { email: string; otp: string; type: CodePurpose }) {
  const user = await find(email);
  await queueMail(config, user && { kind: "code", purpose: type, code: otp, name: user.name, to: email }, user?.id);
}

const addressed = ({ email, name }: Recipient) => ({ to: email, name });

const proof = ({ emailVerified }: Recipient) => ({ unproven: emailVerified !== true });

const isSignIn = (request: Request) => new URL(request.url).pathname.endsWith("/sign-in/email");

/** The link with where it leads afterwards: where the caller wanted, else where it says what it did. Our own pages follow its steps. */
function leadingTo(link: string, ours: string): string {
  const url = new URL(link);
  const wanted = url.searchParams.get("callbackURL");
  if (!wanted || wanted === "/" || wanted.startsWith("/verify-email?")) url.searchParams.set("callbackURL", ours);
  return url.href;
}
