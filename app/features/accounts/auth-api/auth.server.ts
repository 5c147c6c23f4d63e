import { getCurrentAuthEndpointContext } from "@better-auth/core/context";
import { betterAuth, type GenericEndpointContext } from "better-auth";
import { isAPIError } from "better-auth/api";
import { oneTimeToken } from "better-auth/plugins";
import { magicLink } from "better-auth/plugins/magic-link";
import { LRUCache } from "lru-cache";
import { paymentPlugins } from "~/features/billing/payments/payment-plugins.server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { originOf } from "~/lib/http/origin.server";
import { api } from "#convex/_generated/api";
import { convexAdapter } from "./adapter/adapter.server";
import { deleteAccount } from "./delete-account.server";
import { cookieNames } from "../session/cookies";
import { authMail, sendCode, sendSignInLink } from "../mail/auth-mail.server";
import { mailProviderLink } from "../mail/mail-provider-link";
import { firstRefusal, issuerRules } from "./issuers/issuer-rules.server";
import { auditOrigin } from "./plugins/audit-origin.server";
import { device } from "./plugins/device.server";
import { lastMethod } from "./plugins/credentials/last-method.server";
import { limits } from "./plugins/limits.server";
import { mailRequests } from "./plugins/mail-requests.server";
import { newSession } from "./plugins/new-session.server";
import { mailedCodes } from "./plugins/credentials/mailed-codes.server";
import { issuers } from "./plugins/providers/issuers.server";
import { passkeys } from "./plugins/credentials/passkeys.server";
import { passwords } from "./plugins/credentials/passwords.server";
import { providerAddresses } from "./plugins/providers/provider-addresses.server";
import { providerCallbacks } from "./plugins/providers/provider-callbacks.server";
import { providerFailures } from "./plugins/providers/provider-failures.server";
import { providerPictures } from "./plugins/providers/provider-pictures.server";
import { reclaim, removeUnproven } from "./plugins/reclaim.server";
import { reclaimByProvider, removeBeforeLinking } from "./plugins/providers/reclaim-by-provider.server";
import { secondFactor } from "./plugins/credentials/second-factor.server";
import { secondFactorAttempts } from "./plugins/credentials/second-factor-attempts.server";
import { signUpRule } from "./plugins/sign-up-rule.server";
import { singleUseCodes } from "./plugins/credentials/single-use-codes.server";
import { specification } from "./plugins/specification.server";
import { stepUp } from "./plugins/credentials/step-up.server";
import { redirectTargets } from "./plugins/redirect-targets.server";
import { vkDevice } from "./plugins/providers/vk-device.server";
import { copyProviderPicture } from "./providers/provider-picture.server";
import { serviceConvex } from "../session/convex/service-client.server";
import { socialProvidersOf } from "./providers/social-providers.server";

export const AUTH_PATH = "/api/auth";

/** The header with the client's address for Better Auth. Only `auth-request.server.ts` sets it, and overwrites the client's value. */
export const CLIENT_ADDRESS_HEADER = "x-atelier-client-address";

/** Specification 5 and 9 leave the lengths open; see NIST SP 800-63B, 3.1.1.2. */
export const PASSWORD_LENGTH = { min: 8, max: 128 };

export type Auth = ReturnType<typeof makeAuth>;

const authCache = new WeakMap<AppConfig, LRUCache<string, Auth>>();
/** Instances in memory, one per origin. Without APP_URL every loopback host and port is an origin. */
const INSTANCES = 16;

export function authFor(config: AppConfig, request: Request): Auth {
  const origin = originOf(config, request);
  const instances = authCache.get(config) ?? new LRUCache<string, Auth>({ max: Math.max(INSTANCES, config.origins.length) });
  authCache.set(config, instances);
  const auth = instances.get(origin) ?? makeAuth(config, origin);
  instances.set(origin, auth);
  return auth;
}

/** Returns whether an error is Better Auth's unexported `StateError`: a callback with a wrong, expired or missing state. */
const isWrongState = (error: Error): boolean =>
  error.name === "BetterAuthError" && "code" in error && error.code !== "state_generation_error";

function makeAuth(config: AppConfig, origin: string) {
  const { accounts } = config;
  const cookies = cookieNames(origin);
  const mail = authMail(config);
  const once = async (key: string, seconds: number) =>
    (await serviceConvex(config).mutation(api.accounts.mail.pace, { key, seconds }, { skipQueue: true })) === 0;
  return betterAuth({
    appName: "Atelier",
    baseURL: origin,
    basePath: AUTH_PATH,
    secret: config.secret,
    // For redirect targets only. `same-origin.server.ts` checks the origin of requests.
    trustedOrigins: [...config.origins, ...config.trustedOrigins],
    database: convexAdapter(serviceConvex(config)),
    emailAndPassword: {
      enabled: accounts.emailAndPassword,
      requireEmailVerification: accounts.requireEmailVerification,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      revokeSessionsOnPasswordReset: accounts.revokeSessionsOnPasswordReset,
      ...mail.emailAndPassword,
      onPasswordReset: async ({ user }) => {
        if (!user.emailVerified && mailProviderLink(config) !== null) await reclaimByReset(user.id);
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
        trustedProviders: accounts.trustedProviders,
        // `reclaimByProvider` protects an account whose address was never verified.
        requireLocalEmailVerified: false,
      },
    },
    user: {
      // Better Auth calls it just before it creates, links or signs in a user, after checking the provider.
      validateUserInfo: firstRefusal(issuerRules(config), removeBeforeLinking(config)),
      changeEmail: { enabled: accounts.changeEmail, updateEmailWithoutVerification: true, ...mail.changeEmail },
      deleteUser: { enabled: accounts.deleteUser, ...mail.deleteUser, beforeDelete: deleteAccount(config) },
    },
    // Better Auth would delete expired rows on every read; `convex/accounts/expiry.ts` does it hourly.
    verification: { disableCleanup: true },
    rateLimit: {
      enabled: accounts.rateLimit,
      customStorage: {
        consume: (key, rule) => serviceConvex(config).mutation(api.accounts.rateLimits.consume, { key, ...rule }, { skipQueue: true }),
      },
      customRules: {
        // Clients may poll the session, which one read answers.
        "/get-session": false,
        "/verify-password": { window: 10, max: 3 },
        "/delete-user": { window: 10, max: 3 },
        // Sign-out must always work, also for many users who share an IP address.
        "/sign-out": false,
        "/stripe/webhook": false,
        // A class or an office may sign up at once from one IP address. No secret can be guessed here.
        "/sign-up/email": { window: 10, max: 10 },
        // An office may sign in at once from one IP address, and `issuerRedirect` starts sign-ins without a click.
        ...(config.issuers.length > 0 && { "/sign-in/social": { window: 10, max: 30 } }),
      },
    },
    advanced: {
      // The prefix is already secure, and Better Auth's extra `__Secure-` would make the name invalid.
      useSecureCookies: false,
      cookiePrefix: cookies.prefix,
      defaultCookieAttributes: { secure: cookies.secure, httpOnly: true, sameSite: "lax", path: "/" },
      cookies: { state: { attributes: { maxAge: 600 } } },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      database: { joins: true },
      // Explicit, because Better Auth disables these checks when it detects a test run.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    onAPIError: {
      errorURL: "/error",
      onError(error) {
        if (!isAPIError(error) || error.statusCode >= 500) log.error({ from: "accounts", error }, "a request failed");
      },
    },
    telemetry: { enabled: false },
    logger: {
      level: "error",
      // Better Auth also logs rejected requests as errors. Real faults include the thrown error.
      log(_level, message, ...more: unknown[]) {
        const error = more.find((each) => each instanceof Error);
        if (error && !isWrongState(error)) log.error({ from: "accounts", error }, message);
        else log.warn({ from: "accounts" }, message);
      },
    },
    plugins: [
      // Precedes the plugins that change the providers.
      issuers(config, once),
      // Precedes `limits`, which removes a picture that is not an address.
      providerPictures((picture) => copyProviderPicture({ config, ...picture })),
      providerAddresses(),
      vkDevice(),
      providerFailures(),
      limits(),
      signUpRule(config),
      redirectTargets(),
      passwords({ breaches: accounts.refuseBreachedPasswords }),
      auditOrigin(),
      device(origin),
      lastMethod(origin),
      providerCallbacks(config, origin),
      mailRequests(config),
      // Sign-in links and emailed codes create no accounts: an unknown address gets no email.
      magicLink({
        storeToken: "hashed",
        disableSignUp: true,
        sendMagicLink: (link, ctx) => sendSignInLink(config, userFinder(ctx), link),
      }),
      mailedCodes({ sendVerificationOTP: (code, ctx) => sendCode(config, userFinder(ctx), code) }),
      oneTimeToken({ storeToken: "hashed" }),
      reclaim(),
      // Precedes `secondFactor`, which would require a second factor that this plugin removes.
      reclaimByProvider(),
      secondFactor(mail.secondFactor),
      singleUseCodes(once),
      // Follows the plugins that reject a code without comparing it.
      secondFactorAttempts(),
      passkeys(origin),
      stepUp(),
      ...paymentPlugins(config),
      ...specification(config),
      newSession(),
    ],
  });
}

/** Removes an unverified account's other sign-in methods after a password reset by email, because anybody may have created it. */
async function reclaimByReset(userId: string): Promise<void> {
  const { adapter, internalAdapter } = getCurrentAuthEndpointContext().context;
  const others = (await internalAdapter.findAccounts(userId)).filter(({ providerId }) => providerId !== "credential");
  await Promise.all(others.map(({ id }) => internalAdapter.deleteAccount(id)));
  await removeUnproven(adapter, userId);
  await internalAdapter.updateUser(userId, { twoFactorEnabled: false });
  await internalAdapter.deleteUserSessions(userId);
}

const userFinder = (ctx: GenericEndpointContext | undefined) => async (email: string) =>
  (await ctx?.context.internalAdapter.findUserByEmail(email))?.user ?? null;
