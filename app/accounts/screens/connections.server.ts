import { z } from "zod";
import { accountIntent, Refused } from "./account-action.server";
import { requireFresh } from "./fresh.server";

/** What the forms of `/account/connections` do. */
export const connectionIntents = {
  /** Leads to the provider, which leads back here; an error in between ends at /error. */
  link: accountIntent({
    schema: z.object({ provider: z.string() }),
    async run({ provider }, asking) {
      // What is linked opens the account from then on.
      await requireFresh(asking);
      const answer = await asking.post("/link-social", {
        provider,
        callbackURL: "/account/connections",
        errorCallbackURL: "/error",
        disableRedirect: true,
      });
      const url = typeof answer === "object" && answer !== null && "url" in answer ? answer.url : null;
      if (typeof url !== "string") throw new Refused("The provider cannot be reached. Try again.", { status: 502, code: "NO_URL" });
      return { leave: url };
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
