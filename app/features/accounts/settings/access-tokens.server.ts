import { z } from "zod";
import { createAccessToken, hashAccessToken } from "../session/access-token.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { convexFor } from "~/lib/data/convex.server";
import { refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { nameAccessToken } from "#convex/model/rules";
import { accountIntent } from "../account-action.server";
import { Rejection } from "../rejection.server";
import { requireRecentSignIn } from "./require-recent-sign-in.server";

const SCOPES = ["read", "write", "comment"] as const;
const LIFETIMES = ["30", "90", "365", "never"] as const;

const checkbox = z.string().optional();
const accessTokenFields = z.object({
  ...nameAccessToken.shape,
  read: checkbox,
  write: checkbox,
  comment: checkbox,
  expires: z.enum(LIFETIMES, "Choose when the token expires."),
});

export const accessTokenIntents = {
  createAccessToken: accountIntent({
    schema: accessTokenFields.refine(({ read, write, comment }) => [read, write, comment].some((each) => each !== undefined), {
      path: ["read"],
      message: "Choose at least one permission.",
    }),
    async run({ name, expires, ...chosen }, request) {
      const { session } = await requireRecentSignIn(request);
      const token = createAccessToken();
      const scopes = SCOPES.filter((scope) => chosen[scope] !== undefined);
      const days = expires === "never" ? null : Number(expires);
      try {
        await serviceConvex(request.context.get(configContext)).mutation(
          api.accounts.accessTokens.create,
          { sessionId: session.id, name, scopes, days, tokenHash: hashAccessToken(token), ...clientNetwork(request.context) },
          { skipQueue: true },
        );
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.code !== "limit") throw error;
        throw new Rejection(refusal.message ?? "", { status: 422, code: "TOO_MANY_TOKENS" });
      }
      return { show: { accessToken: token } };
    },
  }),

  revokeAccessToken: accountIntent({
    schema: z.object({ id: z.string() }),
    async run({ id }, { context }) {
      try {
        await convexFor(context).mutation(api.accounts.accessTokens.revoke, { id });
      } catch (error) {
        if (refusalOf(error)?.code !== "not_found") throw error;
        throw new Rejection("This token was already revoked.", { status: 404, code: "TOKEN_NOT_FOUND" });
      }
      return {};
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    accessTokens: typeof accessTokenIntents;
  }
}
