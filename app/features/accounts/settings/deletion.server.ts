import { generateRandomString } from "better-auth/crypto";
import { z } from "zod";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { authFor } from "../auth-api/auth.server";
import { getVisitor } from "../session/session.server";
import { userSummary } from "../session/user-summary";
import { accountIntent, type FormRequest } from "../account-action.server";
import { Rejection } from "../rejection.server";
import { confirmationOf } from "./confirmation";
import { requireRecentSignIn } from "./require-recent-sign-in.server";

export const deletionFields = z.object({
  confirmation: z.string("Type your email address.").trim(),
  password: z.string().optional(),
});

export const dataIntents = {
  delete: accountIntent({
    schema: deletionFields,
    fieldOf: { INVALID_PASSWORD: "password", CREDENTIAL_ACCOUNT_NOT_FOUND: "password", NOT_CONFIRMED: "confirmation" },
    async run({ confirmation, password }, { post, request, context }) {
      const visitor = await getVisitor(context);
      const email = visitor ? userSummary(visitor.user).email : "";
      const word = confirmationOf(email);
      if (confirmation.toLowerCase() !== word.toLowerCase())
        throw new Rejection(`Type ${word} to confirm.`, { status: 422, code: "NOT_CONFIRMED" });
      // A user without an address receives the token here instead of by email, if the session is fresh.
      const token = email === "" ? await deletionToken({ request, context }) : null;
      const answer = await post("/delete-user", { ...(token !== null ? { token } : password && { password }), callbackURL: "/sign-in" });
      const isDeleted = typeof answer === "object" && answer !== null && "message" in answer && answer.message === "User deleted";
      if (!isDeleted) return { done: "delete-asked" };
      setFlash(context, "Your account is deleted.");
      return { leave: "/sign-in" };
    },
  }),
};

const TOKEN_LIFE = 60_000;

/** Creates a deletion token: 32 digits and lowercase letters (specification 9). */
async function deletionToken({ request, context }: Pick<FormRequest, "request" | "context">): Promise<string> {
  const { user } = await requireRecentSignIn({ request, context });
  const { internalAdapter } = await authFor(context.get(configContext), request).$context;
  const token = generateRandomString(32, "0-9", "a-z");
  const expiresAt = new Date(Date.now() + TOKEN_LIFE);
  await internalAdapter.createVerificationValue({ identifier: `delete-account-${token}`, value: user.id, expiresAt });
  return token;
}

declare module "~/lib/forms/intents" {
  interface IntentTables {
    data: typeof dataIntents;
  }
}
