import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { providerIds, providersWithoutAddress } from "../../../../../server/config/providers";
import { linkableProviders, WITHOUT_ADDRESS, WITHOUT_VERIFIED_ADDRESS } from "./linkable-providers.server";

const SOURCES = new URL("../../../../../node_modules/@better-auth/core/dist/social-providers/", import.meta.url);
const sourceOf = (id: string) => readFileSync(new URL(`${id === "microsoft" ? "microsoft-entra-id" : id}.mjs`, SOURCES), "utf8");

const assigned = (id: string, field: string) =>
  [...sourceOf(id).matchAll(new RegExp(`\\b${field}: (.+?),?$`, "gm"))].map(([, value]) => value);

describe("linkableProviders (specification 5)", () => {
  it("lists the providers that never report a verified address to Better Auth", () => {
    const NEVER = ["false", "userMap?.emailVerified ?? false"];
    const never = (id: string) => {
      const values = assigned(id, "emailVerified");
      return values.length > 0 && values.every((value = "") => NEVER.includes(value));
    };
    // Better Auth reads `email_verified`, which neither Facebook's Graph API nor GitLab's `GET /user` reports.
    const NOT_REPORTED = ["facebook", "gitlab"];
    for (const id of NOT_REPORTED) expect(assigned(id, "emailVerified"), id).toContain("profile.email_verified ?? false");
    expect([...providerIds.filter(never), ...NOT_REPORTED].toSorted()).toEqual([...WITHOUT_VERIFIED_ADDRESS].toSorted());
  });

  it("lists only providers for which Better Auth makes a placeholder address", () => {
    for (const id of WITHOUT_ADDRESS) expect(sourceOf(id), id).toContain("createPlaceholderEmail(");
    expect(providersWithoutAddress).toEqual(WITHOUT_ADDRESS);
  });

  const providersOf = (ids: string[], accounts: Partial<(typeof testConfig)["accounts"]>) =>
    linkableProviders({
      ...testConfig,
      socialProviders: Object.fromEntries(ids.map((id) => [id, {}])),
      accounts: { ...testConfig.accounts, ...accounts },
    });

  it("names the setting that an untrusted provider needs", () => {
    expect(providersOf(["google", "figma"], {})).toEqual([
      { id: "google", obstacle: null },
      { id: "figma", obstacle: "ACCOUNTS_TRUSTED_PROVIDERS" },
    ]);
    expect(providersOf(["figma"], { trustedProviders: ["figma"] })).toEqual([{ id: "figma", obstacle: null }]);
  });

  it("names the setting that a provider without addresses needs", () => {
    const trusted = { trustedProviders: ["roblox"] };
    expect(providersOf(["roblox"], trusted)).toEqual([{ id: "roblox", obstacle: "ACCOUNTS_LINK_DIFFERENT_EMAILS" }]);
    expect(providersOf(["roblox"], { ...trusted, linkDifferentEmails: true })).toEqual([{ id: "roblox", obstacle: null }]);
  });
});
