import type { FormAnswer } from "~/forms/answer";

/** What a form of the account's screens gets back. */
export type AccountAnswer = FormAnswer & {
  /** What was done, by a name that its form knows (`said`). */
  done?: string;
  /** Only a fresh session may do this. How this person makes theirs one: by their password in place, or by signing in again. */
  stepUp?: "password" | "sign-in";
  /** An authenticator app that is being set up. */
  setup?: TwoFactorSetup;
  /** Backup codes, shown this once. */
  codes?: string[];
};

export type TwoFactorSetup = {
  /** The otpauth: address that the code below says. */
  uri: string;
  /** The same for typing: the secret in groups. */
  secret: string;
  /** The QR code: an SVG's path in a square of `size` units. */
  qr: { size: number; path: string };
  codes: string[];
};

/** The field with the password that makes a session fresh. */
export const STEP_UP_FIELD = "stepUpPassword";
