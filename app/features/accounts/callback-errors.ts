export const SPECIFIED_CODES = [
  "invalid_callback_request",
  "state_not_found",
  "no_code",
  "oauth_provider_not_found",
  "invalid_code",
  "unable_to_get_user_info",
  "no_callback_url",
  "unable_to_link_account",
  "account_already_linked_to_different_user",
  "email_not_found",
] as const;

/** Codes that the specification lacks; each needs its own advice (`docs/decisions/024-auth-api.md`). */
export const ADDED_CODES = [
  "account_not_linked",
  "email_not_verified",
  "internal_server_error",
  "sign_up_closed",
  "invitation_required",
  "invitation_invalid",
  "issuer_unavailable",
  "provider_email_not_verified",
  "domain_not_allowed",
  "group_not_allowed",
] as const;

type CallbackCode = (typeof SPECIFIED_CODES)[number] | (typeof ADDED_CODES)[number];

export const REPLACED_CODES: Record<string, CallbackCode> = {
  state_mismatch: "state_not_found",
  state_invalid: "state_not_found",
  state_security_mismatch: "state_not_found",
  state_generation_error: "internal_server_error",
  nonce_binding_missing: "state_not_found",
  issuer_missing: "invalid_callback_request",
  issuer_mismatch: "invalid_callback_request",
  email_does_not_match: "unable_to_link_account",
  account_ownership_conflict: "account_already_linked_to_different_user",
  user_not_found: "unable_to_link_account",
  signup_disabled: "sign_up_closed",
  unable_to_create_user: "internal_server_error",
  unable_to_create_session: "internal_server_error",
  unable_to_update_account: "internal_server_error",
  account_hook_binding_conflict: "internal_server_error",
  user_hook_selection_conflict: "internal_server_error",
  session_hook_user_conflict: "internal_server_error",
  validation_source_missing: "internal_server_error",
  validation_context_missing: "internal_server_error",
  validation_failed: "internal_server_error",
};

const INCOMPLETE_RESPONSE = "The provider's response was incomplete or has expired. Start again.";

export const SIGN_UP_CLOSED = "This installation accepts no new accounts. Sign in with an existing account.";
export const INVITATION_REQUIRED =
  "You need an invitation to create an account. Open the link in your invitation, or ask the operator for one.";
export const INVITATION_INVALID =
  "This invitation was already used, has expired, was revoked, or is for another email address. Ask for a new one.";

export const ACCOUNT_DISABLED = "This account is disabled. Ask the operator of this installation.";

const ADVICE: Record<CallbackCode | "access_denied" | "ACCOUNT_DISABLED" | "INVALID_TOKEN" | "TOO_MANY_REQUESTS", string> = {
  access_denied: "Sign-in was cancelled, or the provider refused it. Nothing was shared with us.",
  account_already_linked_to_different_user:
    "This provider account is linked to another Atelier account. Sign in with the provider, unlink it from that account, then link it to this one.",
  account_not_linked:
    "An account with this email address already exists, and the provider has not verified that the address is yours. Sign in with the method that you used before.",
  domain_not_allowed:
    "Your email address is not in a domain that this installation allows. No account was created or changed. Use your organisation's address, or ask the operator.",
  email_not_found: "The provider did not share your email address. Allow it in the provider's settings, or sign up with a password.",
  email_not_verified: "Your email address is not verified yet. Open the link we sent you, then sign in again.",
  group_not_allowed:
    "Your account at the provider is in no group that this installation allows. No account was created or changed. Ask the operator to add you to a group.",
  internal_server_error: "Something went wrong on our side. Try again in a few minutes.",
  invalid_callback_request: INCOMPLETE_RESPONSE,
  invalid_code: INCOMPLETE_RESPONSE,
  invitation_invalid: INVITATION_INVALID,
  invitation_required: INVITATION_REQUIRED,
  issuer_unavailable: "The provider is not responding, or its settings here are wrong. Nothing was changed. Try again in a few minutes.",
  no_callback_url: INCOMPLETE_RESPONSE,
  no_code: INCOMPLETE_RESPONSE,
  oauth_provider_not_found: "This provider is not available. Use another sign-in method.",
  provider_email_not_verified:
    "This installation allows only verified email addresses, and the provider has not verified yours. No account was created or changed. Verify the address at the provider, or ask the operator.",
  sign_up_closed: SIGN_UP_CLOSED,
  state_not_found: "This sign-in took longer than ten minutes, was started in another browser, or was already completed. Start again.",
  unable_to_get_user_info: "The provider did not share your profile. Start again, or use another sign-in method.",
  unable_to_link_account:
    "The provider account was not linked. Its email address must be verified and the same as that of your Atelier account.",
  ACCOUNT_DISABLED,
  INVALID_TOKEN: "This link was already used, has expired, or belongs to a different account than the one you are signed in to.",
  TOO_MANY_REQUESTS: "Too many attempts. Wait a moment, then open the link again.",
};

const advice = new Map<string, string>(Object.entries(ADVICE));

const LINKING_CODES = new Set(["account_not_linked", "unable_to_link_account"]);
const NO_LINKING = "This installation does not allow linking accounts. Sign in with the method that you used before.";

export const adviceFor = (code: string, { linking }: { linking: boolean }): string | null =>
  !linking && LINKING_CODES.has(code) ? NO_LINKING : (advice.get(code) ?? null);
