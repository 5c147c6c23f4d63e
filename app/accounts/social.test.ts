import { createLocalJWKSet, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { testConfig } from "~/http/testing";
import { appleOptions, socialProvidersOf } from "./social.server";

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
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600);
  });

  it("is made anew before it ends, and not before that is needed", () => {
    const options = appleOptions(given);
    const first = options.clientSecret;
    vi.useFakeTimers({ now: Date.now() + 29 * 60_000, toFake: ["Date"] });
    expect(options.clientSecret).toBe(first);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    expect(options.clientSecret).not.toBe(first);
    vi.useRealTimers();
  });

  it("reaches Better Auth as something that it does not copy, and the key does not", async () => {
    const { apple } = socialProvidersOf({ ...testConfig, socialProviders: { apple: given } });
    expect(typeof apple).toBe("function");
    expect(Object.keys(appleOptions(given)).toSorted()).toEqual(["clientId", "clientSecret"]);
  });
});
