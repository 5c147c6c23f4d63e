import { expect, it } from "vitest";
import { AUDIT_ACTION_NAMES } from "#convex/model/audit/auditActions";
import { actorText, auditText } from "./audit-text";

it("has a text for every action, also of an anonymous event without details", () => {
  for (const action of AUDIT_ACTION_NAMES) expect(auditText({ action }), action).toMatch(/^[A-Z0-9].*[a-z):]/);
});

it("names method, provider, role and number", () => {
  expect(auditText({ action: "signIn.succeeded", details: { method: "provider", provider: "github" } })).toBe("Signed in (GitHub)");
  expect(auditText({ action: "signIn.failed", details: { method: "passkey", reason: "X" } })).toBe("Sign-in failed (passkey)");
  expect(auditText({ action: "session.revoked", details: { count: 2 } })).toBe("2 sessions signed out");
  expect(auditText({ action: "member.roleChanged", details: { role: "viewer" } })).toBe("Changed a member's role to viewer");
});

it("names the person who acted, if it was not the user", () => {
  expect([actorText({ actor: "user" }), actorText({ actor: "operator" })]).toEqual([null, "by the operator"]);
});

it("has a text for an action of a later build", () => {
  expect(auditText({ action: "later.added" })).toBe("Other event");
});
