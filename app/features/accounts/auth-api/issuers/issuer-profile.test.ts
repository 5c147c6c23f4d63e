import { describe, expect, it } from "vitest";
import { lacksClaims, profileFrom } from "./issuer-profile";

const sub = "u1";

describe("profileFrom", () => {
  it("merges the claims, those of the ID token first", () => {
    const profile = profileFrom(
      { sub, sid: "s1", name: "Ada", groups: ["a"] },
      { sub, name: "Other", email: "ada@example.com", groups: ["a", "b"] },
    );
    expect(profile).toEqual({
      sub,
      sid: "s1",
      email: "ada@example.com",
      emailVerified: false,
      name: "Ada",
      picture: undefined,
      groups: ["a", "b"],
    });
  });

  it.each([
    [{ email: "a@example.com", email_verified: true }, {}, true],
    [{ email: "a@example.com", email_verified: "true" }, {}, true],
    [{ email: "a@example.com", email_verified: "false" }, {}, false],
    [{ email: "a@example.com", xms_edov: "1" }, {}, true],
    [{ email: "a@example.com" }, { email: "a@example.com", email_verified: true }, true],
    [{ email: "a@example.com" }, { email: "b@example.com", email_verified: true }, false],
    [{ email_verified: true }, { email: "a@example.com" }, false],
    [{ email_verified: true }, {}, false],
  ])("decides whether the address is verified: %j %j", (idToken, userInfo, emailVerified) => {
    expect(profileFrom({ sub, ...idToken }, { sub, ...userInfo }).emailVerified).toBe(emailVerified);
  });

  it("uses the user name for a missing name, and a single group", () => {
    expect(profileFrom({ sub, preferred_username: "ada", groups: "staff" })).toMatchObject({ name: "ada", groups: ["staff"] });
  });

  it("ignores claims of the wrong type", () => {
    expect(profileFrom({ sub, name: 7, email: null, groups: [1], picture: {} })).toMatchObject({
      name: undefined,
      email: undefined,
      groups: [],
    });
  });

  it.each([
    "example.com",
    "@example.com",
    "a b@example.com",
    "\u212aate@example.com",
    "a@ex\u212aample.com",
    "a@example.com,b@example.org",
  ])("ignores the invalid address %s", { tags: "@issuer-address" }, (email) => {
    expect(profileFrom({ sub, email, email_verified: true })).toMatchObject({ email: undefined, emailVerified: false });
  });

  it("rejects user info about another user", () => {
    expect(() => profileFrom({ sub }, { sub: "u2" })).toThrow("different users");
  });
});

it.each([
  [{ sub, email: "a@example.com", email_verified: true, name: "Ada" }, false, false],
  [{ sub, email: "a@example.com", email_verified: true, name: "Ada" }, true, true],
  [{ sub, email: "a@example.com", email_verified: true, name: "Ada", groups: [] }, true, false],
  [{ sub, email: "a@example.com", name: "Ada" }, false, true],
  [{ sub, email_verified: true, name: "Ada" }, false, true],
])("finds missing claims in %j (groups: %s): %s", (idToken, groups, missing) => {
  expect(lacksClaims(idToken, { groups })).toBe(missing);
});
