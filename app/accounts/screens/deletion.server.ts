import { z } from "zod";
import { tell } from "~/http/flash.server";
import { visitor } from "../session.server";
import { accountIntent, Refused } from "./account-action.server";

export const deletionFields = z.object({
  confirmation: z.string("Type your email address").trim(),
  password: z.string().optional(),
});

/** What the forms of `/account/data` do. */
export const dataIntents = {
  delete: accountIntent({
    schema: deletionFields,
    beside: { INVALID_PASSWORD: "password", CREDENTIAL_ACCOUNT_NOT_FOUND: "password", NOT_CONFIRMED: "confirmation" },
    async run({ confirmation, password }, { post, context }) {
      const email = (await visitor(context))?.user.email ?? "";
      if (confirmation.toLowerCase() !== email.toLowerCase())
        throw new Refused(`Type ${email} to confirm.`, { status: 422, code: "NOT_CONFIRMED" });
      const answer = await post("/delete-user", { ...(password && { password }), callbackURL: "/sign-in" });
      // Specification 4: by a password, by a fresh session, or by a mail that is then on its way.
      const gone = typeof answer === "object" && answer !== null && "message" in answer && answer.message === "User deleted";
      if (!gone) return { done: "delete-asked" };
      tell(context, "Your account is deleted.");
      return { leave: "/sign-in" };
    },
  }),
};
