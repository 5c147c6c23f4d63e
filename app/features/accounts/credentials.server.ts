import { z } from "zod";
import { PASSWORD_LENGTH } from "./auth-api/auth.server";
import { NAME_LENGTH } from "./auth-api/plugins/limits.server";

const email = z.string("Enter your email address.").trim().pipe(z.email("Invalid email"));

export const signInFields = z.object({
  email,
  password: z.string("Enter your password."),
  rememberMe: z.string().optional(),
});

const newPassword = z
  .string("Choose a password.")
  .min(PASSWORD_LENGTH.min, `Use at least ${PASSWORD_LENGTH.min} characters.`)
  .max(PASSWORD_LENGTH.max, `Use at most ${PASSWORD_LENGTH.max} characters.`);

/** Not derived from the form's constraint: conform does not read Zod's newer checks. */
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTH.min} characters`;

export const addressFields = z.object({ email });

export const resetFields = z.object({ password: newPassword, token: z.string("Invalid token") });

export const signUpFields = z.object({
  name: z.string("Enter your name.").trim().min(1, "Enter your name.").max(NAME_LENGTH, `Use at most ${NAME_LENGTH} characters.`),
  email,
  password: newPassword,
});
