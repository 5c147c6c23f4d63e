import { z } from "zod";
import { NAME_LENGTH } from "../plugins/limits.server";
import { visitor } from "../session.server";
import { accountIntent } from "./account-action.server";
import { requireFresh } from "./fresh.server";

export const nameFields = z.object({
  name: z.string("Enter your name").trim().min(1, "Enter your name").max(NAME_LENGTH, `Use at most ${NAME_LENGTH} characters`),
});

export const emailFields = z.object({ newEmail: z.string("Enter your email address").trim().pipe(z.email("Invalid email")) });

/** What the forms of `/account` do. */
export const profileIntents = {
  name: accountIntent({
    schema: nameFields,
    beside: { "*": "name" },
    async run({ name }, { post }) {
      await post("/update-user", { name });
      return {};
    },
  }),

  email: accountIntent({
    schema: emailFields,
    beside: { "*": "newEmail" },
    async run({ newEmail }, asking) {
      const before = await visitor(asking.context);
      // Whoever reads the mail of an account's address can choose its password.
      await requireFresh(asking);
      await asking.post("/change-email", { newEmail, callbackURL: "/account" });
      // Specification 4: an unverified address changes at once, a verified one after its confirmation.
      return { done: before?.user.emailVerified ? "email-asked" : "email" };
    },
  }),
};
