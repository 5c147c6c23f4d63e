import { type MiddlewareFunction, RouterContextProvider } from "react-router";
import type { AppConfig } from "~/config";
import { clientAddressContext, configContext } from "./context";

export const testConfig: AppConfig = {
  production: true,
  origins: ["https://atelier.example"],
  strictTransportSecurity: { "https://atelier.example": "max-age=31536000; includeSubDomains" },
  publicUrl: "https://atelier.example",
  trustedOrigins: [],
  convexUrl: "http://127.0.0.1:3",
  browserConvex: { kind: "sameOrigin", prefix: "/convex" },
  dataDir: "/nonexistent",
  secret: "a secret of at least thirty-two characters, for tests",
  signingKey: {
    kty: "EC",
    crv: "P-256",
    x: "QgRTzqqt9E5OEApHPgqrlFB7zekNe0TSBZh-L-ESm90",
    y: "4D08f4BbJEWVXdIAMBLTjTSel25S40-ipBkdKKKQKLE",
    d: "JOQSwfHAJ5EUGI7A2sDHVy7tbfaQt3q1dPLWYKPqkkw",
    kid: "test",
  },
  uploadMaxBytes: 1,
  storageQuotaBytes: 1,
  smtpUrl: null,
  mailFrom: "Atelier <no-reply@atelier.example>",
  webhooks: true,
  auditLogRetentionDays: 365,
  settingsFingerprints: {},
  shownSettings: [],
  publicLinks: { enabled: true, reportTo: null },
  payments: null,
  accounts: {
    signUp: "open",
    emailAndPassword: true,
    requireEmailVerification: false,
    changeEmail: true,
    deleteUser: true,
    linking: true,
    linkDifferentEmails: false,
    unlinkLast: false,
    trustedProviders: [],
    revokeSessionsOnPasswordReset: true,
    refuseBreachedPasswords: false,
    rateLimit: true,
    signInRedirect: false,
  },
  socialProviders: {},
  issuers: [],
};

export async function answerOf(
  middleware: MiddlewareFunction<Response>,
  request: Request,
  {
    config = testConfig,
    inner = () => new Response("inner"),
  }: { config?: AppConfig; inner?: (context: RouterContextProvider) => Response } = {},
): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  context.set(clientAddressContext, "192.0.2.1");
  const next = async () => inner(context);
  try {
    const answer = await middleware({ request, context, params: {}, url: new URL(request.url), pattern: "/" }, next);
    return answer instanceof Response ? answer : await next();
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  }
}
