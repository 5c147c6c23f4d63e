import { describe, it } from "vitest";
import { type CitedTest, expectTests } from "../../test-ids.ts";

type Row = [said: string, ...shownBy: CitedTest[]];

const CALLS = "tests/api/specification/calls.spec.ts";
const WORDS = "tests/api/specification/literals.spec.ts";
const MAIL = "tests/api/mail.spec.ts";
const SOCIAL = "tests/api/providers/social.spec.ts";
const RULES = "tests/api/specification/rules.spec.ts";
const PROVIDERS = "tests/api/providers/providers.spec.ts";
const SERVER_SIDE = "app/features/accounts/auth-api/plugins/server-side.test.ts";

const SECTIONS: Record<string, Row[]> = {
  "7. The calls it makes": [
    [
      "POST /sign-in/social",
      [CALLS, "@post-sign-social-provider-alone"],
      [CALLS, "@post-sign-social-everything-redirect"],
      [CALLS, "@post-sign-social-id-token"],
    ],
    ["POST /sign-in/email", [CALLS, "@post-sign-email"], [CALLS, "@post-sign-email-callback-url-remember"]],
    ["GET or POST /callback/{id}", [CALLS, "@get-callback-id"], [CALLS, "@post-callback-id"]],
    ["POST /sign-out", [CALLS, "@post-sign-out-without-body"], [CALLS, "@post-sign-out"]],
    ["POST /request-password-reset and POST /forget-password", [MAIL, "@post-answer-addresses-link-valid-hour"]],
    [
      "GET /reset-password/{token}?callbackURL=...",
      [CALLS, "@get-reset-password-token-callback-url"],
      [CALLS, "@calls-get-reset-password-token-callback-url"],
    ],
    ["POST /reset-password", [CALLS, "@post-reset-password-token-body"], [CALLS, "@post-reset-password-token-query"]],
    ["POST /change-password", [CALLS, "@post-change-password"], [CALLS, "@post-change-password-end-other-sessions"]],
    ["POST /set-password", [CALLS, "@post-set-password-server-only"], [SERVER_SIDE, "@gives-first-somebody-who-has-none"]],
    [
      "POST /delete-user",
      [CALLS, "@post-delete-user-password"],
      [CALLS, "@post-delete-user-fresh-session"],
      [CALLS, "@post-delete-user-token"],
      [MAIL, "@post-delete-user-mails-token-32"],
    ],
    [
      "GET /delete-user/callback",
      [CALLS, "@get-delete-user-callback"],
      [CALLS, "@get-delete-user-callback-callback-url"],
      [MAIL, "@get-delete-user-callback-deletes-clears"],
    ],
    [
      "POST /change-email",
      [CALLS, "@post-change-email"],
      [MAIL, "@post-change-email-unverified-user-once"],
      [MAIL, "@post-change-email-verified-user-mails"],
    ],
    ["GET /error, GET /ok", [CALLS, "@get-error"], [CALLS, "@get-ok"]],
    ["GET /list-accounts", [CALLS, "@get-list-accounts-password"], [CALLS, "@get-list-accounts-provider"]],
    ["POST /link-social", [CALLS, "@post-link-social"], [CALLS, "@post-link-social-id-token"]],
    ["POST /unlink-account", [CALLS, "@post-unlink-account-provider"], [CALLS, "@post-unlink-account-account-provider"]],
    ["POST /get-access-token and POST /refresh-token", [CALLS, "@post-get-access-token"], [CALLS, "@post-refresh-token"]],
    ["POST /account-info", [CALLS, "@post-account-info"]],
    ["GET /get-session", [CALLS, "@get-get-session"], [CALLS, "@get-get-session-signed-out"]],
    [
      "POST /two-factor/enable, disable, send-otp, generate-backup-codes",
      [CALLS, "@post-two-factor-enable"],
      [CALLS, "@post-two-factor-disable"],
      [MAIL, "@post-two-factor-send-otp"],
      [CALLS, "@post-two-factor-generate-backup-codes"],
    ],
    ["GET /verify-email, POST /send-verification-email", [MAIL, "@post-send-verification-email-get-verify"]],
    [
      "POST /revoke-session, /revoke-sessions and /revoke-other-sessions",
      [CALLS, "@post-revoke-session"],
      [CALLS, "@post-revoke-sessions"],
      [CALLS, "@post-revoke-other-sessions"],
      [RULES, "@revoked-individually-only-owner"],
      [RULES, "@revoked-other-sessions"],
    ],
    [
      "Magic-link and email-otp plugins exist.",
      [MAIL, "@sign-link-works-once-stored-hash"],
      ["app/features/accounts/mail/mail.test.ts", "@signs-code-which-not-kept-clear"],
    ],
    [
      "A GET server function fetches the user id and token on every route load.",
      ["tests/e2e/accounts/session.spec.ts", "@auth-api-answers-programs"],
      ["app/features/accounts/session/session.test.ts", "@who-signed-token-theirs"],
      ["app/features/accounts/session/session.test.ts", "@known-from-tokens-cookie-afterwards-without"],
    ],
    [
      "On a one-time-token (ott) query parameter in the page URL, it is verified, the session is loaded and the parameter is removed.",
      [RULES, "@load-session-once-removed"],
      [RULES, "@removed-when-invalid-used"],
      ["tests/api/requests/concurrent-requests.spec.ts", "@sign-link-mailed-code-time-token"],
    ],
  ],
  "8. Error catalogue": [
    ["'Reset password isn't enabled'", [WORDS, "@reset-password-isnt-enabled"], [WORDS, "@words-reset-password-isnt-enabled"]],
    ["'Verification email isn't enabled'", [WORDS, "@verification-email-isnt-enabled"], [WORDS, "@words-verification-email-isnt-enabled"]],
    ["'Email is the same'", [WORDS, "@email-same"]],
    ["'Couldn't update your email'", [WORDS, "@couldnt-update-your-email"]],
    [
      "'Account not linked - linking not allowed'",
      [WORDS, "@account-not-linked-linking-not-allowed"],
      [WORDS, "@words-account-not-linked-linking-not-allowed"],
    ],
    ["'Account not linked - different emails not allowed'", [WORDS, "@account-not-linked-different-emails-not"]],
    ["'Account not linked - unable to create account'", [WORDS, "@account-not-linked-unable-create-account"]],
    [
      "'Account not found'",
      [WORDS, "@account-not-found"],
      [WORDS, "@words-account-not-found"],
      [WORDS, "@account-not-found-2"],
      [WORDS, "@account-not-found-3"],
    ],
    ["'Failed to get a valid access token'", [WORDS, "@failed-get-valid-access-token"]],
    ["'Failed to refresh access token'", [WORDS, "@failed-refresh-access-token"]],
    ["'Access token not found'", [WORDS, "@access-token-not-found"]],
    ["'Invalid input'", [WORDS, "@invalid-input"]],
    ["'Invalid email'", [WORDS, "@invalid-email"], [WORDS, "@words-invalid-email"]],
    ["'Invalid body parameters'", [WORDS, "@invalid-body-parameters"], [WORDS, "@words-invalid-body-parameters"]],
    ["'Invalid query parameters'", [WORDS, "@invalid-query-parameters"]],
    ["'Page not found'", [WORDS, "@page-not-found"]],
    ["'Email and password is not enabled'", [WORDS, "@email-password-not-enabled"]],
    ["'Change email is disabled'", [WORDS, "@change-email-disabled"]],
    ["'Provider {id} is not supported.'", [WORDS, "@provider-github-not-supported"], [WORDS, "@provider-nowhere-not-supported"]],
    ["'user already has a password'", [SERVER_SIDE, "@refused-somebody-who-has-password-specifications"]],
    ["'Either userId or session is required'", [SERVER_SIDE, "@not-given-nobody"]],
    ["'If this email exists in our system, check your email for the reset link'", [MAIL, "@post-answer-addresses-link-valid-hour"]],
    ["provider not found", [WORDS, "@provider-not-found"], [WORDS, "@words-provider-not-found"]],
    ["ID token not supported", [WORDS, "@id-token-not-supported"]],
    ["invalid token", [WORDS, "@invalid-token"], [WORDS, "@words-invalid-token"]],
    ["invalid delete token", [WORDS, "@invalid-delete-token"], [WORDS, "@words-invalid-delete-token"]],
    ["failed to get user info", [WORDS, "@failed-get-user-info"]],
    ["user email not found", [WORDS, "@user-email-not-found"]],
    ["invalid email or password", [WORDS, "@invalid-email-password"]],
    ["email not verified", [WORDS, "@email-not-verified"]],
    ["password too short", [WORDS, "@password-too-short"]],
    ["password too long", [WORDS, "@password-too-long"]],
    ["credential account not found", [WORDS, "@credential-account-not-found"]],
    ["invalid password", [WORDS, "@invalid-password"], [WORDS, "@words-invalid-password"]],
    ["session expired", [WORDS, "@session-expired"]],
    ["user already exists", [WORDS, "@user-already-exists"]],
    ["failed to unlink last account", [WORDS, "@failed-unlink-last-account"]],
    ["unconfigured provider", [WORDS, "@unconfigured-provider"]],
    ["no session", [WORDS, "@no-session"]],
    ["delete disabled", [WORDS, "@delete-disabled"]],
    ["failed to create session", [SERVER_SIDE, "@answers-failed-create-session-sign"]],
    ["failed to get session", [SERVER_SIDE, "@told-failed-get-session-where-session"]],
    ["a callback: invalid_callback_request", [SOCIAL, "@invalid-callback-request"]],
    ["a callback: state_not_found", [SOCIAL, "@state-not-found"]],
    ["a callback: no_code", [SOCIAL, "@no-code"]],
    ["a callback: oauth_provider_not_found", [SOCIAL, "@oauth-provider-not-found"]],
    ["a callback: invalid_code", [SOCIAL, "@invalid-code"]],
    ["a callback: unable_to_get_user_info", [SOCIAL, "@unable-get-user-info"]],
    ["a callback: no_callback_url", [SOCIAL, "@no-callback-url"]],
    ["a callback: unable_to_link_account", [SOCIAL, "@unable-link-account"]],
    ["a callback: account_already_linked_to_different_user", [SOCIAL, "@account-already-linked-different-user"]],
    ["a callback: email_not_found", [SOCIAL, "@email-not-found"]],
    ["a callback: the provider's own", [SOCIAL, "@providers-own"]],
    ["The error page shows the code.", [WORDS, "@errors-page-shows-code-unknown"]],
  ],
  "9. Business constants": [
    ["Password reset token valid 1 hour by default, 24 characters long.", [MAIL, "@post-answer-addresses-link-valid-hour"]],
    ["Delete-account token 32 characters (digits and lowercase), valid 24 hours by default.", [MAIL, "@post-delete-user-mails-token-32"]],
    ["Access token refreshed if it expires in under 5 seconds.", [SOCIAL, "@ends-seconds"]],
    ["rememberMe default true.", [RULES, "@remember-me-remembered"]],
    ["OAuth state lifetime 10 minutes.", [SOCIAL, "@starts-pkce-state-valid-ten-minutes"]],
    ["Password minimum and maximum lengths: not shown (8 and 128 here).", [RULES, "@new-password-characters"]],
    [
      "Token-fetch retry base 100 ms doubling to 1000 ms with 50% jitter and giving up after more than 10 retries.",
      ["app/features/accounts/session/convex/convex-token.test.ts", "@waits-100-ms-then-twice-long"],
      ["app/features/accounts/session/convex/convex-token.test.ts", "@gives-up-after-10-retries-throws"],
    ],
    [
      "Default social scopes vary per provider (kakao, naver and line as listed).",
      [PROVIDERS, "@requests-specified-scopes-uses-payment-providers"],
      [PROVIDERS, "@starts-documented-address-documented-scopes"],
    ],
    [
      "The payment provider defaults to a sandbox environment.",
      [PROVIDERS, "@requests-specified-scopes-uses-payment-providers"],
      [PROVIDERS, "@uses-optional-settings"],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("%s", (_said, ...shownBy) => expectTests(shownBy));
});
