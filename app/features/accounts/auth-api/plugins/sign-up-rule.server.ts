import { runWithEndpointContext } from "@better-auth/core/context";
import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { APIError, createAuthMiddleware, getOAuthState } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { INVITATION_INVALID, INVITATION_REQUIRED, SIGN_UP_CLOSED } from "../../callback-errors";
import { findInvitation, INVITATION } from "../../invitations/invitations.server";
import { serviceConvex } from "../../session/convex/service-client.server";

const EMAIL_SIGN_UP = "/sign-up/email";
const CALLBACK = "/callback/:id";

const REFUSALS = { sign_up_closed: SIGN_UP_CLOSED, invitation_required: INVITATION_REQUIRED, invitation_invalid: INVITATION_INVALID };

type Decision = { refusal: keyof typeof REFUSALS } | { refusal: null; provesAddress: boolean };
type NewUser = { email: string; emailVerified: boolean };

const token = z.string().optional().catch(undefined);
const signUpBody = z.object({ email: z.string(), [INVITATION]: token, rememberMe: z.boolean().optional().catch(undefined) });
const socialBody = z.object({ provider: z.string(), additionalData: z.object({ [INVITATION]: token }).optional() });
const verifiedAnswer = z.looseObject({ token: z.null(), user: z.looseObject({ id: z.string(), emailVerified: z.literal(true) }) });

/** Decides who may create an account (`ACCOUNTS_SIGN_UP`), whatever the method, and verifies the address of an invitation. */
export const signUpRule = (config: AppConfig) =>
  ({
    id: "sign-up-rule",
    hooks: {
      before: [
        {
          // Runs before any step that depends on whether the address has an account.
          matcher: ({ path }) => path === EMAIL_SIGN_UP,
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = signUpBody.safeParse(ctx.body);
            if (!success) return;
            const { refusal } = await decide(config, { email: data.email.toLowerCase(), emailVerified: false }, data.invitation);
            if (refusal) throw refused(refusal, ctx.path);
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === EMAIL_SIGN_UP && config.accounts.requireEmailVerification,
          handler: createAuthMiddleware(async (ctx) => {
            const { success, data } = verifiedAnswer.safeParse(ctx.context.returned);
            const user = success ? await ctx.context.internalAdapter.findUserById(data.user.id) : null;
            if (!user) return;
            const isTemporary = signUpBody.parse(ctx.body).rememberMe === false;
            // Hooks run outside the endpoint's context, but `device` needs its cookies.
            const session = await runWithEndpointContext(ctx, () => ctx.context.internalAdapter.createSession(user.id, isTemporary));
            await setSessionCookie(ctx, { session, user }, isTemporary);
            return ctx.json({ ...data, token: session.token });
          }),
        },
      ],
    },
    init: () => ({
      options: {
        databaseHooks: {
          user: {
            create: {
              async before(user, ctx) {
                const decision = await decide(config, isTrusted(config, ctx) ? { ...user, emailVerified: true } : user, await tokenIn(ctx));
                if (decision.refusal) throw refused(decision.refusal, ctx?.path);
                return { data: { ...user, emailVerified: user.emailVerified || decision.provesAddress } };
              },
            },
          },
        },
      },
    }),
  }) satisfies BetterAuthPlugin;

async function decide(config: AppConfig, { email, emailVerified }: NewUser, token: string | undefined): Promise<Decision> {
  const { signUp } = config.accounts;
  if (signUp === "closed") return { refusal: "sign_up_closed" };
  const invitation = await findInvitation(config, token);
  if (invitation?.email === email) return { refusal: null, provesAddress: invitation.provesAddress };
  const isAllowed =
    signUp === "open" || (emailVerified && (await serviceConvex(config).query(api.accounts.invitations.isInvited, { email })));
  if (isAllowed) return { refusal: null, provesAddress: false };
  return { refusal: token === undefined ? "invitation_required" : "invitation_invalid" };
}

async function tokenIn(ctx: GenericEndpointContext | null): Promise<string | undefined> {
  if (ctx?.path === EMAIL_SIGN_UP) return signUpBody.parse(ctx.body)[INVITATION];
  const data: unknown = ctx?.path === CALLBACK ? await getOAuthState() : socialBody.safeParse(ctx?.body).data?.additionalData;
  return z.object({ [INVITATION]: token }).safeParse(data).data?.[INVITATION];
}

function isTrusted({ accounts }: AppConfig, ctx: GenericEndpointContext | null): boolean {
  const provider: unknown = ctx?.path === CALLBACK ? ctx.params?.["id"] : socialBody.safeParse(ctx?.body).data?.provider;
  return accounts.trustedProviders.some((id) => id === provider);
}

const refused = (code: keyof typeof REFUSALS, path: string | undefined) =>
  new APIError("FORBIDDEN", { code: path === CALLBACK ? code : code.toUpperCase(), message: REFUSALS[code] });
