import { describe, it } from "vitest";
import { expectShown, type ShownBy } from "../shown-by.ts";

type Row = [said: string, ...shownBy: ShownBy[]];

const CALLS = "tests/api/calls.spec.ts";
const WORDS = "tests/api/words.spec.ts";
const MAIL = "tests/api/mail.spec.ts";
const SOCIAL = "tests/api/social.spec.ts";
const RULES = "tests/api/rules.spec.ts";
const PROVIDERS = "tests/api/providers.spec.ts";
const SERVER_SIDE = "app/accounts/plugins/server-side.test.ts";

/** The calls of section 7, what section 8 says of accounts, and the constants of section 9 that concern them, with the tests that show each. */
const SECTIONS: Record<string, Row[]> = {
  "7. The calls it makes": [
    [
      "POST /sign-in/social",
      [CALLS, "POST /sign-in/social: a provider alone"],
      [CALLS, "POST /sign-in/social: everything for a redirect"],
      [CALLS, "POST /sign-in/social: an ID token"],
    ],
    ["POST /sign-in/email", [CALLS, "POST /sign-in/email"], [CALLS, "POST /sign-in/email: with callbackURL and rememberMe"]],
    ["GET or POST /callback/{id}", [CALLS, "GET /callback/{id}"], [CALLS, "POST /callback/{id}"]],
    ["POST /sign-out", [CALLS, "POST /sign-out: without a body"], [CALLS, "POST /sign-out"]],
    [
      "POST /request-password-reset and POST /forget-password",
      [MAIL, "POST ${path}: the same answer for a known and an unknown address, and a link for an hour"],
    ],
    [
      "GET /reset-password/{token}?callbackURL=...",
      [CALLS, "GET /reset-password/{token}?callbackURL=…"],
      [CALLS, "GET /reset-password/{token}?callbackURL=…: of no request"],
    ],
    [
      "POST /reset-password",
      [CALLS, "POST /reset-password: the token in the body"],
      [CALLS, "POST /reset-password: the token in the query"],
    ],
    ["POST /change-password", [CALLS, "POST /change-password"], [CALLS, "POST /change-password: and the end of other sessions"]],
    [
      "POST /set-password",
      [CALLS, "POST /set-password is for the server only"],
      [SERVER_SIDE, "gives a first one to somebody who has none, of the length that all have, and not a common one"],
    ],
    [
      "POST /delete-user",
      [CALLS, "POST /delete-user: a password"],
      [CALLS, "POST /delete-user: a fresh session"],
      [CALLS, "POST /delete-user: a token"],
      [MAIL, "POST /delete-user: a mail with a token of 32 characters for a day, and the callback completes it"],
    ],
    [
      "GET /delete-user/callback",
      [CALLS, "GET /delete-user/callback"],
      [CALLS, "GET /delete-user/callback: with callbackURL"],
      [MAIL, "GET /delete-user/callback: deletes, clears the cookies, and leads on"],
    ],
    [
      "POST /change-email",
      [CALLS, "POST /change-email"],
      [MAIL, "POST /change-email: of an unverified user at once, and a mail to the new address"],
      [MAIL, "POST /change-email: of a verified user a mail to the old address first, then one to the new"],
    ],
    ["GET /error, GET /ok", [CALLS, "GET /error"], [CALLS, "GET /ok"]],
    ["GET /list-accounts", [CALLS, "GET /list-accounts: a password"], [CALLS, "GET /list-accounts: a provider"]],
    ["POST /link-social", [CALLS, "POST /link-social"], [CALLS, "POST /link-social: an ID token"]],
    ["POST /unlink-account", [CALLS, "POST /unlink-account: a provider"], [CALLS, "POST /unlink-account: one account of a provider"]],
    ["POST /get-access-token and POST /refresh-token", [CALLS, "POST /get-access-token"], [CALLS, "POST /refresh-token"]],
    ["POST /account-info", [CALLS, "POST /account-info"]],
    ["GET /get-session", [CALLS, "GET /get-session"], [CALLS, "GET /get-session: signed out"]],
    [
      "POST /two-factor/enable, disable, send-otp, generate-backup-codes",
      [CALLS, "POST /two-factor/enable"],
      [CALLS, "POST /two-factor/disable"],
      [MAIL, "POST /two-factor/send-otp"],
      [CALLS, "POST /two-factor/generate-backup-codes"],
    ],
    ["GET /verify-email, POST /send-verification-email", [MAIL, "POST /send-verification-email and GET /verify-email"]],
    [
      "POST /revoke-session, /revoke-sessions and /revoke-other-sessions",
      [CALLS, "POST /revoke-session"],
      [CALLS, "POST /revoke-sessions"],
      [CALLS, "POST /revoke-other-sessions"],
      [RULES, "is revoked one by one, and of nobody else"],
      [RULES, "is revoked with all others, and with all"],
    ],
    [
      "Magic-link and email-otp plugins exist.",
      [MAIL, "a sign-in link works once, is kept as a hash, and makes no account"],
      ["app/accounts/mail/mail.test.ts", "signs in by a code, which is not kept in the clear"],
    ],
    [
      "A GET server function fetches the user id and token on every route load.",
      ["tests/e2e/session.spec.ts", "the auth API answers programs"],
      ["app/accounts/session.test.ts", "is who signed in, with a token of theirs"],
      ["app/accounts/session.test.ts", "is known from the token's cookie afterwards, without asking anybody"],
    ],
    [
      "On a one-time-token (ott) query parameter in the page URL, it is verified, the session is loaded and the parameter is removed.",
      [RULES, "load the session, once, and are removed"],
      [RULES, "are removed when they are nothing, or nothing any more"],
      ["tests/api/at-once.spec.ts", "a sign-in link, an emailed code and a one-time token open once"],
    ],
  ],
  "8. Error catalogue": [
    ["'Reset password isn't enabled'", [WORDS, "Reset password isn't enabled"]],
    ["'Verification email isn't enabled'", [WORDS, "Verification email isn't enabled"]],
    ["'Email is the same'", [WORDS, "Email is the same"]],
    ["'Couldn't update your email'", [WORDS, "Couldn't update your email"]],
    ["'Account not linked - linking not allowed'", [WORDS, "Account not linked - linking not allowed"]],
    ["'Account not linked - different emails not allowed'", [WORDS, "Account not linked - different emails not allowed"]],
    ["'Account not linked - unable to create account'", [WORDS, "Account not linked - unable to create account"]],
    ["'Account not found'", [WORDS, "Account not found"]],
    ["'Failed to get a valid access token'", [WORDS, "Failed to get a valid access token"]],
    ["'Failed to refresh access token'", [WORDS, "Failed to refresh access token"]],
    ["'Access token not found'", [WORDS, "Access token not found"]],
    ["'Invalid input'", [WORDS, "Invalid input"]],
    ["'Invalid email'", [WORDS, "Invalid email"]],
    ["'Invalid body parameters'", [WORDS, "Invalid body parameters"]],
    ["'Invalid query parameters'", [WORDS, "Invalid query parameters"]],
    ["'Page not found'", [WORDS, "Page not found"]],
    ["'Email and password is not enabled'", [WORDS, "Email and password is not enabled"]],
    ["'Change email is disabled'", [WORDS, "Change email is disabled"]],
    ["'Provider {id} is not supported.'", [WORDS, "Provider github is not supported."], [WORDS, "Provider nowhere is not supported."]],
    ["'user already has a password'", [SERVER_SIDE, "is refused to somebody who has a password, in the specification's words"]],
    ["'Either userId or session is required'", [SERVER_SIDE, "are not given to nobody (%s)"]],
    [
      "'If this email exists in our system, check your email for the reset link'",
      [MAIL, "POST ${path}: the same answer for a known and an unknown address, and a link for an hour"],
    ],
    ["provider not found", [WORDS, "provider not found"]],
    ["ID token not supported", [WORDS, "ID token not supported"]],
    ["invalid token", [WORDS, "invalid token"]],
    ["invalid delete token", [WORDS, "invalid delete token"]],
    ["failed to get user info", [WORDS, "failed to get user info"]],
    ["user email not found", [WORDS, "user email not found"]],
    ["invalid email or password", [WORDS, "invalid email or password"]],
    ["email not verified", [WORDS, "email not verified"]],
    ["password too short", [WORDS, "password too short"]],
    ["password too long", [WORDS, "password too long"]],
    ["credential account not found", [WORDS, "credential account not found"]],
    ["invalid password", [WORDS, "invalid password"]],
    ["session expired", [WORDS, "session expired"]],
    ["user already exists", [WORDS, "user already exists"]],
    ["failed to unlink last account", [WORDS, "failed to unlink last account"]],
    ["unconfigured provider", [WORDS, "unconfigured provider"]],
    ["no session", [WORDS, "no session"]],
    ["delete disabled", [WORDS, "delete disabled"]],
    ["failed to create session", [SERVER_SIDE, "is told as 'Failed to create session' at a sign-in and a sign-up"]],
    ["failed to get session", [SERVER_SIDE, "is told as 'Failed to get session' where a session is looked at that is gone meanwhile"]],
    ["a callback: invalid_callback_request", [SOCIAL, "invalid_callback_request"]],
    ["a callback: state_not_found", [SOCIAL, "state_not_found"]],
    ["a callback: no_code", [SOCIAL, "no_code"]],
    ["a callback: oauth_provider_not_found", [SOCIAL, "oauth_provider_not_found"]],
    ["a callback: invalid_code", [SOCIAL, "invalid_code"]],
    ["a callback: unable_to_get_user_info", [SOCIAL, "unable_to_get_user_info"]],
    ["a callback: no_callback_url", [SOCIAL, "no_callback_url"]],
    ["a callback: unable_to_link_account", [SOCIAL, "unable_to_link_account"]],
    ["a callback: account_already_linked_to_different_user", [SOCIAL, "account_already_linked_to_different_user"]],
    ["a callback: email_not_found", [SOCIAL, "email_not_found"]],
    ["a callback: the provider's own", [SOCIAL, "the provider's own"]],
    ["The error page shows the code.", [WORDS, "an error's page shows its code, or 'Unknown'"]],
  ],
  "9. Business constants": [
    [
      "Password reset token valid 1 hour by default, 24 characters long.",
      [MAIL, "POST ${path}: the same answer for a known and an unknown address, and a link for an hour"],
    ],
    [
      "Delete-account token 32 characters (digits and lowercase), valid 24 hours by default.",
      [MAIL, "POST /delete-user: a mail with a token of 32 characters for a day, and the callback completes it"],
    ],
    ["Access token refreshed if it expires in under 5 seconds.", [SOCIAL, "that ends in ${seconds} seconds is ${refreshed"]],
    ["rememberMe default true.", [RULES, "with rememberMe ${"]],
    ["OAuth state lifetime 10 minutes.", [SOCIAL, "asks for the provider's consent with PKCE and a state that is good for ten minutes"]],
    ["Password minimum and maximum lengths: not shown (8 and 128 here).", [RULES, "a new password of ${length} characters is ${status"]],
    [
      "Token-fetch retry base 100 ms doubling to 1000 ms with 50% jitter and giving up after more than 10 retries.",
      ["app/accounts/convex-token.test.ts", "waits 100 ms, then twice as long each time up to 1000 ms, less up to half by chance"],
      ["app/accounts/convex-token.test.ts", "gives up after 10 retries and throws the network's error"],
    ],
    [
      "Default social scopes vary per provider (kakao, naver and line as listed).",
      [PROVIDERS, "the specification's own scopes are asked for, and the payment provider is its sandbox"],
      [PROVIDERS, "${id} starts at the documented address, with the documented scopes"],
    ],
    [
      "The payment provider defaults to a sandbox environment.",
      [PROVIDERS, "the specification's own scopes are asked for, and the payment provider is its sandbox"],
      [PROVIDERS, "what may be given as well is taken"],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("%s", (_said, ...shownBy) => expectShown(shownBy));
});
