import { describe, expect, it } from "vitest";
import { type CitedTest, expectTests } from "../../test-ids.ts";

type Row = [sentence: string, ...shownBy: CitedTest[]];

const RULES = "tests/api/specification/rules.spec.ts";
const TRUSTED = "tests/api/providers/trusted-providers.spec.ts";
const OWNERSHIP = "tests/api/ownership.spec.ts";
const WORDS = "tests/api/specification/literals.spec.ts";
const CALLS = "tests/api/specification/calls.spec.ts";
const MAIL = "tests/api/mail.spec.ts";
const SOCIAL = "tests/api/providers/social.spec.ts";
const TARGETS = "tests/api/requests/redirect-targets.spec.ts";
const ACCOUNTS = "tests/e2e/accounts/accounts.spec.ts";
const VIEW = "tests/e2e/accounts/session-view.spec.ts";
const LINKED = "tests/e2e/accounts/account-linked.spec.ts";
const ACCESS = "convex/access.test.ts";
const REACT = "tests/conformance/react.test.tsx";
const TRANSPORT = "engine/tests/transport.test.ts";
const SERVER_SIDE = "app/features/accounts/auth-api/plugins/server-side.test.ts";

const SECTIONS: Record<string, Row[]> = {
  "4. States and transitions": [
    ["Session: created on email or social sign-in.", [RULES, "@created-email-sign-ended-sign-out"], [RULES, "@created-social-sign"]],
    [
      "Ended on sign-out, on account deletion, or on password reset when revoke-on-reset is set.",
      [RULES, "@created-email-sign-ended-sign-out"],
      [RULES, "@ended-account-deletion-everywhere"],
      [RULES, "@ended-password-reset-everywhere"],
      ["tests/e2e/accounts/mail.spec.ts", "@resets-forgotten-password-link-works-once"],
      [WORDS, "@reset-keeps-sessions"],
    ],
    [
      "With rememberMe false the session is not remembered.",
      [RULES, "@remember-me-remembered"],
      ["tests/e2e/accounts/session.spec.ts", "@without-staying-signed-cookie-ends-browser"],
    ],
    [
      "The session view refreshes after sign-in, sign-up, sign-out, update-user, delete-user, verify-email and two-factor calls.",
      [VIEW, "@tab-sign-continues-after-another-tab"],
      [VIEW, "@tab-sign-continues-after-sign-up"],
      [ACCOUNTS, "@signing-out-tab-ends-other-tabs"],
      [VIEW, "@name-changed-program-seen-once-tabs"],
      [VIEW, "@account-changes-show-once-tabs-two"],
    ],
    [
      "Authentication loading: loading, then authenticated or unauthenticated.",
      [REACT, "@components-learn-sign-once-deployment-has"],
      [REACT, "@token-deployment-rejects-leaves-user-signed"],
    ],
    [
      "The backend counts the user as authenticated only once it has accepted the token.",
      [REACT, "@components-learn-sign-once-deployment-has"],
      ["engine/tests/sync.test.ts", "@told-token-invalid"],
    ],
    [
      "Email verification: if verification is required and the user is unverified, sign-in is refused as forbidden and, if configured, a verification email is sent.",
      [WORDS, "@email-not-verified"],
      [WORDS, "@email-not-verified-provider-without-verified"],
      ["app/features/accounts/mail/mail.test.ts", "@refuses-unverified-sign-where-verification-required"],
    ],
    ["Password reset: a request creates a token (valid 1 hour by default).", [MAIL, "@post-answer-addresses-link-valid-hour"]],
    [
      "The reset link redirects to the caller's URL with ?token=..., or with ?error=INVALID_TOKEN when the token is missing or expired.",
      [CALLS, "@get-reset-password-token-callback-url"],
      [CALLS, "@calls-get-reset-password-token-callback-url"],
      [RULES, "@expired-token-redirects-invalid-token-sets"],
    ],
    [
      "Posting a new password consumes the token.",
      [RULES, "@new-password-consumes-token"],
      [RULES, "@two-concurrent-posts-token-sets-password"],
    ],
    [
      "Account deletion: the user, sessions and accounts are removed and cookies cleared when the user gives a password, has a fresh session, or gives a confirmation token.",
      [RULES, "@removes-user-sessions-accounts-second-factor"],
      [CALLS, "@post-delete-user-password"],
      [CALLS, "@post-delete-user-fresh-session"],
      [RULES, "@token-body-clears-cookies-consumes-token"],
      [RULES, "@stale-session-needs-password"],
    ],
    [
      "If a verification mail is configured, a token (valid 24 hours by default) is emailed and deletion completes on the callback.",
      [MAIL, "@post-delete-user-mails-token-32"],
      [MAIL, "@get-delete-user-callback-deletes-clears"],
      [LINKED, "@deletes-account-emailed-link-also-when"],
    ],
    [
      "Email change: for an unverified user the email changes at once and a verification mail is sent.",
      [RULES, "@unverified-user-takes-effect-once"],
      [MAIL, "@post-change-email-unverified-user-once"],
    ],
    ["A verified user gets a confirmation mail first.", [MAIL, "@post-change-email-verified-user-mails"]],
    ["Account linking and unlinking.", [SOCIAL, "@links-unlinks-login"]],
    ["The access token is refreshed when it expires within 5 seconds.", [SOCIAL, "@ends-seconds"], [SOCIAL, "@refreshed-account-info-too"]],
    ["Social callback: errors redirect to the error URL.", [SOCIAL, "@providers-own"], [SOCIAL, "@our-own-page-without-error-url"]],
    [
      "Success redirects to the callback URL, or to the new-user URL on first registration.",
      [SOCIAL, "@redirects-new-user-url-first-callback"],
      [SOCIAL, "@redirects-callback-url-first-without-new"],
    ],
    [
      "Realtime connection state: connected or not, ever connected, connection count, retry count, in-flight mutations and actions, and the time of the oldest in-flight request.",
      [TRANSPORT, "@reports-connection-state-connection-count-requests"],
    ],
    [
      "Optimistic query updates apply on mutation and are replaced by the server result.",
      [TRANSPORT, "@applies-optimistic-update-replaces-servers-result"],
      ["tests/e2e/projects/live.spec.ts", "@shows-change-before-deployment-answers-without"],
    ],
  ],
  "5. Validation rules": [
    ["Email on email sign-in must be valid, otherwise 'Invalid email'.", [WORDS, "@invalid-email"], [WORDS, "@words-invalid-email"]],
    [
      "A new password must be at least the minimum and at most the maximum length (values not shown), otherwise password too short or too long.",
      [RULES, "@new-password-characters"],
      [WORDS, "@password-too-short"],
      [WORDS, "@password-too-long"],
    ],
    [
      "Reset requires a token (body or query), otherwise the token is invalid.",
      [CALLS, "@post-reset-password-token-body"],
      [CALLS, "@post-reset-password-token-query"],
      [WORDS, "@invalid-token"],
      [WORDS, "@words-invalid-token"],
    ],
    ["Change-password needs currentPassword and newPassword.", [RULES, "@change-password-validates-two-passwords-revoke"]],
    ["revokeOtherSessions is an optional boolean.", [RULES, "@change-password-ends-other-sessions-only"]],
    [
      "Change-email: newEmail must be a valid email, is lowercased, must differ from the current one ('Email is the same') and must not belong to another user ('Couldn't update your email').",
      [RULES, "@new-email-must-valid-lowercased"],
      [WORDS, "@email-same"],
      [WORDS, "@couldnt-update-your-email"],
    ],
    ["Set-password is refused if the user already has a password.", [SERVER_SIDE, "@refused-somebody-who-has-password-specifications"]],
    ["Social sign-in needs a known provider.", [WORDS, "@provider-not-found"], [WORDS, "@words-provider-not-found"]],
    [
      "With an ID token the provider must support token checking, the token must verify, and the provider must return an email.",
      [WORDS, "@id-token-not-supported"],
      [SOCIAL, "@signs-valid-id-token-first-later"],
      [WORDS, "@user-email-not-found"],
    ],
    [
      "Linking is refused if the provider is untrusted and its email unverified, if linking is disabled, or if the email differs from the user's unless different emails are allowed.",
      [RULES, "@untrusted-providers-login-unverified-email-not"],
      [TRUSTED, "@untrusted-provider-unverified-address-refused-each"],
      [TRUSTED, "@trusted-provider-unverified-address-linked-each"],
      [TRUSTED, "@account-page-offers-no-link-cannot"],
      [OWNERSHIP, "@owner-signs-provider-other-access-ends"],
      [OWNERSHIP, "@password-user-continues-provider-can-set"],
      [WORDS, "@account-not-linked-linking-not-allowed"],
      [WORDS, "@words-account-not-linked-linking-not-allowed"],
      [WORDS, "@account-not-linked-different-emails-not"],
      [WORDS, "@login-another-address-linked"],
    ],
    [
      "Unlinking the last account is refused unless allowed.",
      [RULES, "@unlinking-last-account-rejected-whichever"],
      [WORDS, "@last-account-can-unlinked"],
    ],
    [
      "Delete-user with a password needs the correct password.",
      [RULES, "@stale-session-needs-password"],
      [WORDS, "@invalid-password"],
      [WORDS, "@words-invalid-password"],
    ],
    [
      "Callback URLs are checked against trusted origins (details not shown).",
      [TARGETS, "@redirects-only-our-own-pages"],
      [TARGETS, "@rejects-generated-external-targets"],
    ],
    ["The generic fallback message for schema failures is 'Invalid input'.", [WORDS, "@invalid-input"]],
    ["Product form fields on the sign-in page: not shown.", [ACCOUNTS, "@somebody-signs-up-signs-out-signs"]],
  ],
  "6. Roles and permissions": [
    ["No roles are shown.", [ACCESS, "@shows-each-person-own-projects-nobody"]],
    [
      "There are two states: signed-out visitor (only /sign-in, and / which redirects) and signed-in user (projects, designs).",
      ["tests/e2e/projects/access.spec.ts", "@signed-out-each-address-answers-rule"],
      [ACCOUNTS, "@redirects-signed-out-visitor-sign"],
      [ACCOUNTS, "@redirects-signed-user-from-sign-sign"],
    ],
    ["Change-password, change-email, delete-user, list-accounts, link-social and account-info need a session.", [RULES, "@needs-session"]],
    ["Unlink-account uses a stricter session check.", [RULES, "@unlink-account-rejects-stale-session-like"]],
    [
      "Token retrieval and refresh accept a session or, for server use, a userId.",
      [RULES, "@tokens-over-http-belong-sessions-user"],
      [SERVER_SIDE, "@given-server-user-names"],
    ],
    ["Set-password is server-only.", [CALLS, "@post-set-password-server-only"]],
    [
      "Delete-user and change-email work only if enabled in configuration (which are enabled is not shown).",
      [WORDS, "@delete-disabled"],
      [WORDS, "@change-email-disabled"],
    ],
    [
      "Whether users see only their own projects is not shown.",
      [ACCESS, "@shows-each-person-own-projects-nobody"],
      [ACCESS, "@tells-another-persons-removed-missing-malformed"],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("%s", (sentence, ...shownBy) => {
    expect(sentence).toMatch(/[.']$/);
    expectTests(shownBy);
  });
});
