import { z } from "zod";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { accountIntent } from "../account-action.server";
import { ISSUER_UNAVAILABLE } from "../auth-api/issuers/issuer-provider.server";
import { Rejection } from "../rejection.server";
import { requireRecentSignIn } from "./require-recent-sign-in.server";

export const connectionIntents = {
  link: accountIntent({
    schema: z.object({ provider: z.string() }),
    async run({ provider }, request) {
      await requireRecentSignIn(request);
      const answer = await request
        .post("/link-social", { provider, callbackURL: "/account/connections", errorCallbackURL: "/error", disableRedirect: true })
        .catch((error: unknown) => {
          if (error instanceof Rejection && error.code === ISSUER_UNAVAILABLE) return null;
          throw error;
        });
      const url = typeof answer === "object" && answer !== null && "url" in answer ? answer.url : null;
      if (typeof url !== "string") throw new Rejection("The provider is not responding. Try again.", { status: 502, code: "NO_URL" });
      return isDocumentRequest(request.request) ? { show: { leaveFor: url } } : { leave: url };
    },
  }),

  unlink: accountIntent({
    schema: z.object({ providerId: z.string(), accountId: z.string() }),
    async run({ providerId, accountId }, { post }) {
      await post("/unlink-account", { providerId, accountId });
      return {};
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    connection: typeof connectionIntents;
  }
}
