import { describe, expect, it } from "vitest";
import { expectShown, type ShownBy } from "../shown-by.ts";

/**
 * One row per sentence of sections 4, 5 and 6 of the specification, with the tests that show it: each named by its file and by its title, as the
 * file has it. A row whose test was renamed, removed or is skipped fails here.
 */
type Row = [sentence: string, ...shownBy: ShownBy[]];

const RULES = "tests/api/rules.spec.ts";
const WORDS = "tests/api/words.spec.ts";
const CALLS = "tests/api/calls.spec.ts";
const MAIL = "tests/api/mail.spec.ts";
const SOCIAL = "tests/api/social.spec.ts";
const TARGETS = "tests/api/targets.spec.ts";
const ACCOUNTS = "tests/e2e/accounts.spec.ts";
const VIEW = "tests/e2e/session-view.spec.ts";
const LINKED = "tests/e2e/account-linked.spec.ts";
const ACCESS = "convex/access.test.ts";
const REACT = "tests/conformance/react.test.tsx";
const TRANSPORT = "engine/tests/transport.test.ts";
const SERVER_SIDE = "app/accounts/plugins/server-side.test.ts";

const SECTIONS: Record<string, Row[]> = {
  "4. States and transitions": [
    [
      "Session: created on email or social sign-in.",
      [RULES, "is created on email sign-in, and ended on sign-out"],
      [RULES, "is created on social sign-in"],
    ],
    [
      "Ended on sign-out, on account deletion, or on password reset when revoke-on-reset is set.",
      [RULES, "is created on email sign-in, and ended on sign-out"],
      [RULES, "is ended on account deletion, everywhere"],
      [RULES, "is ended on password reset, everywhere"],
      ["tests/e2e/mail.spec.ts", "somebody who forgot their password chooses a new one by a link that works once"],
      [WORDS, "a reset leaves the sessions"],
    ],
    [
      "With rememberMe false the session is not remembered.",
      [RULES, "with rememberMe ${"],
      ["tests/e2e/session.spec.ts", "who does not stay signed in has a cookie that ends with the browser"],
    ],
    [
      "The session view refreshes after sign-in, sign-up, sign-out, update-user, delete-user, verify-email and two-factor calls.",
      [VIEW, "a tab at /sign-in goes on to where it wanted once another tab is signed in, and stays when that one's session is replaced"],
      [VIEW, "a tab at /sign-in goes on once somebody has signed up in another"],
      [ACCOUNTS, "signing out in one tab ends the other tabs too"],
      [VIEW, "a name changed by a program is seen at once in the tabs of two browsers"],
      [VIEW, "a confirmed address, a second factor and the end of the account are seen at once in the tabs of two browsers"],
    ],
    [
      "Authentication loading: loading, then authenticated or unauthenticated.",
      [REACT, "signing in and out is known to components once the deployment has taken the token"],
      [REACT, "a token that the deployment refuses leaves one signed out"],
    ],
    [
      "The backend counts the user as authenticated only once it has accepted the token.",
      [REACT, "signing in and out is known to components once the deployment has taken the token"],
      ["engine/tests/sync.test.ts", "is told that a token proves nothing"],
    ],
    [
      "Email verification: if verification is required and the user is unverified, sign-in is refused as forbidden and, if configured, a verification email is sent.",
      [WORDS, "email not verified"],
      [WORDS, "email not verified: nor by a provider that has not verified it either"],
      [
        "app/accounts/mail/mail.test.ts",
        "refuses an unverified sign-in where verification is required, sends a link, and lets in once it was followed",
      ],
    ],
    [
      "Password reset: a request creates a token (valid 1 hour by default).",
      [MAIL, "POST ${path}: the same answer for a known and an unknown address, and a link for an hour"],
    ],
    [
      "The reset link redirects to the caller's URL with ?token=..., or with ?error=INVALID_TOKEN when the token is missing or expired.",
      [CALLS, "GET /reset-password/{token}?callbackURL=…"],
      [CALLS, "GET /reset-password/{token}?callbackURL=…: of no request"],
      [RULES, "an expired token leads back with INVALID_TOKEN, and sets nothing"],
    ],
    [
      "Posting a new password consumes the token.",
      [RULES, "a new password consumes the token"],
      [RULES, "of two who post a token at once, one sets the password"],
    ],
    [
      "Account deletion: the user, sessions and accounts are removed and cookies cleared when the user gives a password, has a fresh session, or gives a confirmation token.",
      [RULES, "removes user, sessions, accounts and second factor, and clears the cookies"],
      [CALLS, "POST /delete-user: a password"],
      [CALLS, "POST /delete-user: a fresh session"],
      [RULES, "with a token in the body clears the cookies too, and consumes the token"],
      [RULES, "with a stale session needs the password"],
    ],
    [
      "If a verification mail is configured, a token (valid 24 hours by default) is emailed and deletion completes on the callback.",
      [MAIL, "POST /delete-user: a mail with a token of 32 characters for a day, and the callback completes it"],
      [MAIL, "GET /delete-user/callback: deletes, clears the cookies, and leads on"],
      [LINKED, "where mail leaves, an account is deleted by the link in it, after a sign-in where it is opened signed out"],
    ],
    [
      "Email change: for an unverified user the email changes at once and a verification mail is sent.",
      [RULES, "of an unverified user is done at once"],
      [MAIL, "POST /change-email: of an unverified user at once, and a mail to the new address"],
    ],
    [
      "A verified user gets a confirmation mail first.",
      [MAIL, "POST /change-email: of a verified user a mail to the old address first, then one to the new"],
    ],
    ["Account linking and unlinking.", [SOCIAL, "links a login, and unlinks it"]],
    [
      "The access token is refreshed when it expires within 5 seconds.",
      [SOCIAL, 'that ends in ${seconds} seconds is ${refreshed ? "refreshed" : "given as it is"}'],
      [SOCIAL, "is refreshed for account-info too"],
    ],
    [
      "Social callback: errors redirect to the error URL.",
      [SOCIAL, "the provider's own"],
      [SOCIAL, "at our own page where no other was given"],
    ],
    [
      "Success redirects to the callback URL, or to the new-user URL on first registration.",
      [SOCIAL, "leads to the new-user URL at first, and to the callback URL later"],
      [SOCIAL, "leads to the callback URL at first where there is no new-user URL"],
    ],
    [
      "Realtime connection state: connected or not, ever connected, connection count, retry count, in-flight mutations and actions, and the time of the oldest in-flight request.",
      [TRANSPORT, "tells the state of the connection: connected, how often, what is in flight and since when"],
    ],
    [
      "Optimistic query updates apply on mutation and are replaced by the server result.",
      [TRANSPORT, "applies an optimistic update and replaces it by the server's result"],
      ["tests/e2e/live.spec.ts", "a change shows before the deployment has answered, and nothing is posted or loaded again"],
    ],
  ],
  "5. Validation rules": [
    ["Email on email sign-in must be valid, otherwise 'Invalid email'.", [WORDS, "Invalid email"]],
    [
      "A new password must be at least the minimum and at most the maximum length (values not shown), otherwise password too short or too long.",
      [RULES, 'a new password of ${length} characters is ${status === 200 ? "taken" : "refused"}, wherever it is set'],
      [WORDS, "password too short"],
      [WORDS, "password too long"],
    ],
    [
      "Reset requires a token (body or query), otherwise the token is invalid.",
      [CALLS, "POST /reset-password: the token in the body"],
      [CALLS, "POST /reset-password: the token in the query"],
      [WORDS, "invalid token"],
    ],
    [
      "Change-password needs currentPassword and newPassword.",
      [RULES, "change-password needs currentPassword and newPassword; revokeOtherSessions is an optional boolean"],
    ],
    ["revokeOtherSessions is an optional boolean.", [RULES, "change-password ends other sessions where that is asked for, and only there"]],
    [
      "Change-email: newEmail must be a valid email, is lowercased, must differ from the current one ('Email is the same') and must not belong to another user ('Couldn't update your email').",
      [RULES, "a new email must be valid, and is lowercased"],
      [WORDS, "Email is the same"],
      [WORDS, "Couldn't update your email"],
    ],
    [
      "Set-password is refused if the user already has a password.",
      [SERVER_SIDE, "is refused to somebody who has a password, in the specification's words"],
    ],
    ["Social sign-in needs a known provider.", [WORDS, "provider not found"]],
    [
      "With an ID token the provider must support token checking, the token must verify, and the provider must return an email.",
      [WORDS, "ID token not supported"],
      [SOCIAL, "signs in with an ID token, at first and later, and only with a good one"],
      [WORDS, "user email not found"],
    ],
    [
      "Linking is refused if the provider is untrusted and its email unverified, if linking is disabled, or if the email differs from the user's unless different emails are allowed.",
      [RULES, "an untrusted provider's login with an unverified email is not linked"],
      [WORDS, "Account not linked - linking not allowed"],
      [WORDS, "Account not linked - different emails not allowed"],
      [WORDS, "a login with another address is linked"],
    ],
    [
      "Unlinking the last account is refused unless allowed.",
      [RULES, "unlinking the last account is refused, whichever it is"],
      [WORDS, "the last account can go"],
    ],
    [
      "Delete-user with a password needs the correct password.",
      [RULES, "with a stale session needs the password"],
      [WORDS, "invalid password"],
    ],
    [
      "Callback URLs are checked against trusted origins (details not shown).",
      [TARGETS, "${name}: only our own pages"],
      [TARGETS, "whatever is made up"],
    ],
    ["The generic fallback message for schema failures is 'Invalid input'.", [WORDS, "Invalid input"]],
    ["Product form fields on the sign-in page: not shown.", [ACCOUNTS, "somebody signs up, signs out and signs in again"]],
  ],
  "6. Roles and permissions": [
    ["No roles are shown.", [ACCESS, "shows each person their own projects and nobody else's"]],
    [
      "There are two states: signed-out visitor (only /sign-in, and / which redirects) and signed-in user (projects, designs).",
      ["tests/e2e/access.spec.ts", "signed out, each address answers by its rule"],
      [ACCOUNTS, "/ leads a signed-out visitor to /sign-in"],
      [ACCOUNTS, "whoever is signed in has nothing to do at /sign-in and /sign-up, and / leads to the projects"],
    ],
    [
      "Change-password, change-email, delete-user, list-accounts, link-social and account-info need a session.",
      [RULES, "${method} ${path} needs a session"],
    ],
    [
      "Unlink-account uses a stricter session check.",
      [RULES, "unlink-account refuses a stale session, as the endpoint did that it replaces"],
    ],
    [
      "Token retrieval and refresh accept a session or, for server use, a userId.",
      [RULES, "tokens over HTTP are for the session's user alone, whatever userId says"],
      [SERVER_SIDE, "are given to the server for a user that it names"],
    ],
    ["Set-password is server-only.", [CALLS, "POST /set-password is for the server only"]],
    [
      "Delete-user and change-email work only if enabled in configuration (which are enabled is not shown).",
      [WORDS, "delete disabled"],
      [WORDS, "Change email is disabled"],
    ],
    [
      "Whether users see only their own projects is not shown.",
      [ACCESS, "shows each person their own projects and nobody else's"],
      [ACCESS, "%s tells another person's, a removed, a missing and a malformed id alike"],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("%s", (sentence, ...shownBy) => {
    expect(sentence).toMatch(/[.']$/);
    expectShown(shownBy);
  });
});
