import { z } from "zod";
import { accountIntent } from "../account-action.server";
import { Rejection } from "../rejection.server";
import { tokenOf } from "./session-tokens.server";

export const sessionIntents = {
  revoke: accountIntent({
    schema: z.object({ id: z.string() }),
    async run({ id }, request) {
      const token = await tokenOf(id, request);
      if (token === null) throw new Rejection("This session has already ended.", { status: 404, code: "SESSION_NOT_FOUND" });
      await request.post("/revoke-session", { token });
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

declare module "~/lib/forms/intents" {
  interface IntentTables {
    session: typeof sessionIntents;
  }
}
