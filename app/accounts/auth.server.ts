import { betterAuth, type GenericEndpointContext } from "better-auth";
import { isAPIError } from "better-auth/api";
import { oneTimeToken } from "better-auth/plugins";
import { emailOTP } from "better-auth/plugins/email-otp";
import { magicLink } from "better-auth/plugins/magic-link";
import { endSubscriptions, paymentPlugins } from "~/billing/plugin.server";
import type { AppConfig } from "~/config";
import { log } from "~/http/log.server";
import { originOf } from "~/http/origin.server";
import { api } from "#convex/_generated/api";
import { convexAdapter } from "./adapter.server";
import { cookieNames } from "./cookies";
import { authMail, sendCode, sendSignInLink } from "./mail/auth-mail.server";
import { mailWay } from "./mail/way";
import { device } from "./plugins/device.server";
import { lastMethod } from "./plugins/last-method.server";
import { limits } from "./plugins/limits.server";
import { mailRequests } from "./plugins/mail-requests.server";
import { passkeys } from "./plugins/passkeys.server";
import { passwords } from "./plugins/passwords.server";
import { reclaim, removeUnproven } from "./plugins/reclaim.server";
import { secondFactor } from "./plugins/second-factor.server";
import { singleUseCodes } from "./plugins/single-use-codes.server";
import { specification } from "./plugins/specification.server";
import { stepUp } from "./plugins/step-up.server";
import { plainTargets } from "./plugins/targets.server";
import { serviceConvex } from "./service.server";
import { socialProvidersOf } from "./social.server";

/** Where Better Auth is mounted (`app/routes/api.auth.$.tsx`). */
export const AUTH_PATH = "/api/auth";

/** The header in which Better Auth reads the client's address. `auth-request.server.ts` alone writes it, over whatever was sent. */
export const CLIENT_ADDRESS_HEADER = "x-atelier-client-address";

/** Password lengths (specification 5 and 9 leave them open; NIST SP 800-63B, 3.1.1.2). */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

export type Auth = ReturnType<typeof makeAuth>;

const made = new WeakMap<AppConfig, Map<string, Auth>>();
/** Without APP_URL the app answers on any loopback host and port, each an origin of its own; no more of them than this are kept. */
const ORIGINS_KEPT = 16;

/** Better Auth as it answers under the origin of a request: made once, and then the same. */
export function authFor(config: AppConfig, request: Request): Auth {
  const origin = originOf(config, request);
  const known = made.get(config) ?? new Map<string, Auth>();
  made.set(config, known);
  const auth = known.get(origin) ?? makeAuth(config, origin);
  known.set(origin, auth);
  for (const oldest of known.keys()) {
    if (known.size <= ORIGINS_KEPT) break;
    known.delete(oldest);
  }
  return auth;
}

function makeAuth(config: AppConfig, origin: string) {
  const { accounts } = config;
  const cookies = cookieNames(origin);
  const mail = authMail(config);
  const auth = betterAuth({
    appName: "Atelier",
    baseURL: origin,
    basePath: AUTH_PATH,
    secret: config.secret,
    trustedOrigins: config.trustedOrigins,
    database: convexAdapter(serviceConvex(config)),
    emailAndPassword: {
      enabled: accounts.emailAndPassword,
      requireEmailVerification: accounts.requireEmailVerification,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      revokeSessionsOnPasswordReset: accounts.revokeSessionsOnPasswordReset,
      ...mail.emailAndPassword,
      onPasswordReset: async ({ user }) => {
        if (!user.emailVerified && mailWay(config) !== null) await reclaimByReset(user.id);
      },
    },
    emailVerification: mail.emailVerification,
    socialProviders: socialProvidersOf(config),
    account: {
      encryptOAuthTokens: true,
      accountLinking: {
        enabled: accounts.linking,
        allowDifferentEmails: accounts.linkDifferentEmails,
        allowUnlinkingAll: accounts.unlinkLast,
      },
    },
    user: {
      // Specification 4: an unverified person's address changes at once.
      changeEmail: { enabled: accounts.changeEmail, updateEmailWithoutVerification: true, ...mail.changeEmail },
      deleteUser: { enabled: accounts.deleteUser, ...mail.deleteUser, ...endSubscriptions(config) },
    },
    // Better Auth would clear the table each time that it looks for a value; `convex/accounts/expiry.ts` does so by the hour.
    verification: { disableCleanup: true },
    rateLimit: {
      enabled: accounts.rateLimit,
      storage: "database",
      customRules: {
        // Asked by every open page, and open only to those who are signed in already.
        "/get-session": false,
        // A password is as worth guessing here as it is at a sign-in.
        "/verify-password": { window: 10, max: 3 },
        "/delete-user": { window: 10, max: 3 },
        // Nobody is kept from leaving, however many share an address: it ends the one session whose cookie is sent, and nothing else.
        "/sign-out": false,
        // Comes from Stripe, which signs it.
        "/stripe/webhook": false,
        // A class or an office starts at the same moment from one address, and nothing is guessed by signing up.
        "/sign-up/email": { window: 10, max: 10 },
      },
    },
    advanced: {
      // The prefix says it already, and Better Auth's own `__Secure-` before it would make the name invalid.
      useSecureCookies: false,
      cookiePrefix: cookies.prefix,
      defaultCookieAttributes: { secure: cookies.secure, httpOnly: true, sameSite: "lax", path: "/" },
      // Specification 9: OAuth state lives 10 minutes; Better Auth's cookie would end after 5.
      cookies: { state: { attributes: { maxAge: 600 } } },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      database: { joins: true },
      // Said, since Better Auth leaves them out where it takes a process for a test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    onAPIError: {
      errorURL: "/error",
      // Better Auth's own way prints what it refuses past our log. A refusal is an answer, and its request's line in the log has the status.
      onError(error) {
        if (!isAPIError(error) || error.statusCode >= 500) log.error({ from: "accounts", error }, "a request failed");
      },
    },
    telemetry: { enabled: false },
    logger: {
      level: "error",
      log: (_level, message, ...more: unknown[]) =>
        log.error({ from: "accounts", error: more.find((each) => each instanceof Error) }, message),
    },
    plugins: [
      limits(),
      plainTargets(),
      passwords({ breaches: accounts.refuseBreachedPasswords }),
      device(origin),
      lastMethod(origin),
      mailRequests(config),
      // Neither makes accounts: to an address that nobody has, nothing is sent.
      magicLink({
        storeToken: "hashed",
        disableSignUp: true,
        sendMagicLink: (link, ctx) => sendSignInLink(config, userFinder(ctx), link),
      }),
      emailOTP({ storeOTP: "hashed", disableSignUp: true, sendVerificationOTP: (code, ctx) => sendCode(config, userFinder(ctx), code) }),
      oneTimeToken({ storeToken: "hashed" }),
      reclaim(),
      secondFactor(mail.secondFactor),
      singleUseCodes(
        async (key, seconds) => (await serviceConvex(config).mutation(api.accounts.mail.pace, { key, seconds }, { skipQueue: true })) === 0,
      ),
      passkeys(origin),
      stepUp(),
      ...paymentPlugins(config),
      ...specification(config),
    ],
  });
  return auth;

  /** The link came by mail to an address that nobody has proven before. Whoever has read it has the password now, and is to have it alone. */
  async function reclaimByReset(userId: string): Promise<void> {
    const { adapter, internalAdapter } = await auth.$context;
    const others = (await internalAdapter.findAccounts(userId)).filter(({ providerId }) => providerId !== "credential");
    await Promise.all(others.map(({ id }) => internalAdapter.deleteAccount(id)));
    await removeUnproven(adapter, userId);
    await internalAdapter.updateUser(userId, { twoFactorEnabled: false });
    await internalAdapter.deleteUserSessions(userId);
  }
}

const userFinder = (ctx: GenericEndpointContext | undefined) => async (email: string) =>
  (await ctx?.context.internalAdapter.findUserByEmail(email))?.user ?? null;
