import { z } from "zod";
import { accountIntent } from "~/features/accounts/account-action.server";
import { api } from "#convex/_generated/api";
import { runAsAdministrator } from "../administrator-action.server";

export const jobIntents = {
  repeatJob: accountIntent({
    schema: z.object({ id: z.string().min(1) }),
    async run(fields, request) {
      await runAsAdministrator(request, api.admin.jobs.repeat, fields);
      return { done: `job-repeated-${fields.id}` };
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    administeredJobs: typeof jobIntents;
  }
}
