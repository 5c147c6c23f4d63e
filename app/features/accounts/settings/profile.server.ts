import { z } from "zod";
import { NAME_LENGTH } from "../auth-api/plugins/limits.server";
import { getVisitor } from "../session/session.server";
import { accountIntent } from "../account-action.server";
import { requireRecentSignIn } from "./require-recent-sign-in.server";

export const nameFields = z.object({
  name: z.string("Enter your name.").trim().min(1, "Enter your name.").max(NAME_LENGTH, `Use at most ${NAME_LENGTH} characters.`),
});

export const emailFields = z.object({ newEmail: z.string("Enter your email address.").trim().pipe(z.email("Invalid email")) });

export const profileIntents = {
  name: accountIntent({
    schema: nameFields,
    fieldOf: { "*": "name" },
    async run({ name }, { post }) {
      await post("/update-user", { name });
      return {};
    },
  }),

  email: accountIntent({
    schema: emailFields,
    fieldOf: { "*": "newEmail" },
    async run({ newEmail }, request) {
      const before = await getVisitor(request.context);
      await requireRecentSignIn(request);
      await request.post("/change-email", { newEmail, callbackURL: "/account" });
      // Specification 4: an unverified address changes at once, a verified one after confirmation.
      return { done: before?.user.emailVerified ? "email-asked" : "email" };
    },
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    profile: typeof profileIntents;
  }
}
