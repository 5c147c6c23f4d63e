import { z } from "zod";
import { accountIntent, Refused } from "./account-action.server";
import { tokenOf } from "./session-tokens.server";

/** What the forms of `/account/sessions` do. */
export const sessionIntents = {
  revoke: accountIntent({
    schema: z.object({ id: z.string() }),
    async run({ id }, asking) {
      const token = await tokenOf(id, asking);
      if (token === null) throw new Refused("This session has ended already.", { status: 404, code: "SESSION_NOT_FOUND" });
      await asking.post("/revoke-session", { token });
      return {};
    },
  }),

  revokeOthers: accountIntent({
    schema: z.object({}),
    async run(_, { post }) {
      await post("/revoke-other-sessions");
      return {};
    },
  }),
};
