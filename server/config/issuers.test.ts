import { describe, expect, it } from "vitest";
import { issuers, issuerSecrets } from "./issuers.ts";

const ACME = { OIDC_ACME_ISSUER: "https://id.acme.example/realms/a", OIDC_ACME_CLIENT_ID: "atelier", OIDC_ACME_CLIENT_SECRET: "s3cret" };

describe("issuers", () => {
  it("reads all settings of several issuers", () => {
    const env = {
      ...ACME,
      OIDC_ACME_LABEL: "Acme Corporation",
      OIDC_ACME_SCOPES: "email, profile groups",
      OIDC_ACME_DOMAINS: "Acme.example, acme.test",
      OIDC_ACME_GROUPS: "designers, /staff",
      OIDC_ACME_ADMIN_GROUP: "/admins",
      OIDC_ACME_END_SESSION: "true",
      OIDC_BETA_2_ISSUER: "http://localhost:8080",
      OIDC_BETA_2_CLIENT_ID: "beta",
      OIDC_BETA_2_CLIENT_SECRET: "s",
      OIDC_SERVICE_HOST: "10.0.0.1",
      OIDC_ACME_SERVICE_PORT: "80",
      OIDC_OTHER_TOOL: "x",
    };
    expect(issuers(env)).toEqual({
      problems: [],
      configured: [
        {
          id: "oidc-acme",
          issuer: "https://id.acme.example/realms/a",
          clientId: "atelier",
          clientSecret: "s3cret",
          label: "Acme Corporation",
          scopes: ["openid", "email", "profile", "groups"],
          domains: ["acme.example", "acme.test"],
          groups: ["designers", "/staff"],
          adminGroup: "/admins",
          endSession: true,
        },
        {
          id: "oidc-beta-2",
          issuer: "http://localhost:8080",
          clientId: "beta",
          clientSecret: "s",
          label: "Beta 2",
          scopes: ["openid", "email", "profile"],
          domains: [],
          groups: [],
          adminGroup: null,
          endSession: false,
        },
      ],
    });
  });

  it("reads none by default", () => {
    expect(issuers({ PATH: "/bin" })).toEqual({ configured: [], problems: [] });
  });

  it.each(["ISSUER", "CLIENT_ID", "CLIENT_SECRET"])("reports a missing %s", (suffix) => {
    expect(issuers({ ...ACME, [`OIDC_ACME_${suffix}`]: "" }).problems).toEqual([
      `OIDC_ACME_${suffix} is missing: sign-in with the issuer ACME needs it`,
    ]);
  });

  it.each([
    ["ISSUER", "id.acme.example", "an address that begins with https://"],
    ["ISSUER", "http://id.acme.example", "http:// only for this machine"],
    ["ISSUER", "http://localhost.acme.example", "http:// only for this machine"],
    ["ISSUER", "https://id.acme.example/?tenant=1", "without query"],
    ["ISSUER", "https://user:password@id.acme.example", "an address"],
    ["LABEL", "x".repeat(51), "at most 50 characters"],
    ["LABEL", "a\nb", "on one line"],
    ["SCOPES", 'openid "email"', "scopes, separated by spaces"],
    ["DOMAINS", "acme.example;acme.test", "domains of email addresses"],
    ["DOMAINS", "@acme.example", "domains of email addresses"],
    ["END_SESSION", "maybe", "true or false"],
  ])("reports an invalid %s: %j", (suffix, value, expected) => {
    const { problems } = issuers({ ...ACME, [`OIDC_ACME_${suffix}`]: value });
    expect(problems).toEqual([expect.stringContaining(`OIDC_ACME_${suffix} is ${JSON.stringify(value)}; expected `)]);
    expect(problems[0]).toContain(expected);
  });

  it("reports unknown settings, because a misspelled one would admit everyone", () => {
    expect(issuers({ ...ACME, OIDC_ACME_GROUP: "staff", OIDC_ACME_ADMIN_GROUPS_OF: "admins" }).problems).toEqual([
      expect.stringContaining("OIDC_ACME_GROUP is not a setting; expected OIDC_ACME_ with ISSUER, CLIENT_ID"),
      expect.stringContaining("OIDC_ACME_ADMIN_GROUPS_OF is not a setting"),
    ]);
    expect(issuers({ OIDC_ISSUER: "https://id.acme.example" }).problems).toEqual([
      "OIDC_ISSUER names no issuer; expected OIDC_<NAME>_ISSUER, like OIDC_ACME_ISSUER",
    ]);
  });

  it("reports two issuers with the same label, or the same client at one issuer", () => {
    const second = Object.fromEntries(Object.entries(ACME).map(([name, value]) => [name.replace("ACME", "B"), value]));
    expect(issuers({ ...ACME, ...second, OIDC_B_LABEL: "Acme" }).problems).toEqual([
      "OIDC_B_ISSUER and _CLIENT_ID are the same as those of OIDC_ACME",
      "OIDC_B_LABEL is the same as that of OIDC_ACME: their sign-in buttons would look the same",
    ]);
  });

  it("finds client secrets that are in files", () => {
    expect(issuerSecrets({ ...ACME, OIDC_B_C_CLIENT_SECRET_FILE: "/run/secrets/b" })).toEqual(["OIDC_B_C_CLIENT_SECRET"]);
  });
});
