import type { FormAnswer } from "~/lib/forms/form-result";

export type AccountAnswer = FormAnswer & {
  done?: string;
  stepUp?: "password" | "sign-in";
  setup?: TwoFactorSetup;
  leaveFor?: string;
  accessToken?: string;
  codes?: string[];
  invitationLink?: string;
};

export type TwoFactorSetup = {
  uri: string;
  secret: string;
  qr: { size: number; path: string };
  codes: string[];
};

export const STEP_UP_FIELD = "stepUpPassword";
