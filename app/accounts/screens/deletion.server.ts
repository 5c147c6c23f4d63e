import { generateRandomString } from "better-auth/crypto";
import { z } from "zod";
import { configContext } from "~/http/context";
import { tell } from "~/http/flash.server";
import { authFor } from "../auth.server";
import { visitor } from "../session.server";
import { shownUser } from "../shown-user";
import { accountIntent, type Asking, Refused } from "./account-action.server";
import { confirmationOf } from "./confirmation";
import { requireFresh } from "./fresh.server";

export const deletionFields = z.object({
  confirmation: z.string("Type your email address").trim(),
  password: z.string().optional(),
});

/** What the forms of `/account/data` do. */
export const dataIntents = {
  delete: accountIntent({
    schema: deletionFields,
    beside: { INVALID_PASSWORD: "password", CREDENTIAL_ACCOUNT_NOT_FOUND: "password", NOT_CONFIRMED: "confirmation" },
    async run({ confirmation, password }, { post, request, context }) {
      const who = await visitor(context);
      const email = who ? shownUser(who.user).email : "";
      const word = confirmationOf(email);
      if (confirmation.toLowerCase() !== word.toLowerCase())
        throw new Refused(`Type ${word} to confirm.`, { status: 422, code: "NOT_CONFIRMED" });
      // Who cannot be written to gets here what the mail would bring, if their session is a fresh one.
      const token = email === "" ? await deletionToken({ request, context }) : null;
      const answer = await post("/delete-user", { ...(token !== null ? { token } : password && { password }), callbackURL: "/sign-in" });
      // Specification 4: by a password, by a fresh session, or by a mail that is then on its way.
      const gone = typeof answer === "object" && answer !== null && "message" in answer && answer.message === "User deleted";
      if (!gone) return { done: "delete-asked" };
      tell(context, "Your account is deleted.");
      return { leave: "/sign-in" };
    },
  }),
};

/** As long as it takes to use it at once, in ms. */
const TOKEN_LIFE = 60_000;

/** A token that deletes the visitor's account (specification 9: 32 digits and lowercase letters). */
async function deletionToken({ request, context }: Pick<Asking, "request" | "context">): Promise<string> {
  const { user } = await requireFresh({ request, context });
  const { internalAdapter } = await authFor(context.get(configContext), request).$context;
  const token = generateRandomString(32, "0-9", "a-z");
  const expiresAt = new Date(Date.now() + TOKEN_LIFE);
  await internalAdapter.createVerificationValue({ identifier: `delete-account-${token}`, value: user.id, expiresAt });
  return token;
}
