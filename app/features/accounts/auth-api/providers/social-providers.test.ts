import { facebook } from "@better-auth/core/social-providers";
import { createLocalJWKSet, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { CLOCK_SKEW_SECONDS } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { appleOptions, socialProvidersOf } from "./social-providers.server";

let given: { clientId: string; teamId: string; keyId: string; privateKey: string };
let keys: ReturnType<typeof createLocalJWKSet>;
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  given = { clientId: "example.atelier.web", teamId: "TEAM123456", keyId: "KEY1234567", privateKey: await exportPKCS8(privateKey) };
  keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: given.keyId, alg: "ES256" }] });
});

describe("Apple's client secret", () => {
  it("is a token signed with the key, for Apple and for an hour", async () => {
    const { payload, protectedHeader } = await jwtVerify(appleOptions(given).clientSecret, keys);
    expect(protectedHeader).toEqual({ alg: "ES256", kid: given.keyId });
    expect(payload).toMatchObject({ iss: given.teamId, sub: given.clientId, aud: "https://appleid.apple.com" });
    expect(Number(payload.exp) - Date.now() / 1000).toBeCloseTo(3600, -1);
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600 + CLOCK_SKEW_SECONDS);
  });

  it("is renewed before it expires, but not earlier", () => {
    const options = appleOptions(given);
    const first = options.clientSecret;
    vi.useFakeTimers({ now: Date.now() + 29 * 60_000, toFake: ["Date"] });
    expect(options.clientSecret).toBe(first);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    expect(options.clientSecret).not.toBe(first);
    vi.useRealTimers();
  });

  it("is passed to Better Auth as a function, without the key", async () => {
    const { apple } = socialProvidersOf({ ...testConfig, socialProviders: { apple: given } });
    expect(typeof apple).toBe("function");
    expect(Object.keys(appleOptions(given)).toSorted()).toEqual(["clientId", "clientSecret"]);
  });
});

it("checks the app of a Facebook access token, also with our own mapping", async () => {
  const mapped = { user: { id: "1", name: "Grace", emailVerified: true }, data: {} };
  const provider = facebook({ clientId: "ours", clientSecret: "secret", getUserInfo: async () => Object(mapped) });
  const answer = (app_id: string) => vi.stubGlobal("fetch", async () => Response.json({ data: { is_valid: true, app_id, user_id: "1" } }));
  answer("another");
  expect(await provider.getUserInfo({ accessToken: "token" })).toBeNull();
  answer("ours");
  expect(await provider.getUserInfo({ accessToken: "token" })).toBe(mapped);
  vi.unstubAllGlobals();
});
