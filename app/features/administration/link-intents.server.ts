import { z } from "zod";
import { accountIntent } from "~/features/accounts/account-action.server";
import { Rejection } from "~/features/accounts/rejection.server";
import { api } from "#convex/_generated/api";
import { runAfterRecentSignIn } from "./administrator-action.server";

export const administeredLinkIntents = {
  revokeAnyLink: accountIntent({
    schema: z.object({ linkId: z.string().min(1) }),
    async run(fields, request) {
      if (!(await runAfterRecentSignIn(request, api.admin.links.revoke, fields)))
        throw new Rejection("This link was already revoked.", { status: 404, code: "LINK_NOT_FOUND" });
      return {};
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    administeredLinks: typeof administeredLinkIntents;
  }
}
