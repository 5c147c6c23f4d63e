import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { providerIds, socialProviders, variablesOf } from "./providers.ts";

const pem = (namedCurve: string) =>
  generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();

describe("socialProviders", () => {
  it("lists the specification's thirty providers", () => {
    expect(providerIds).toHaveLength(30);
    expect(new Set(providerIds).size).toBe(30);
  });

  it("enables none by default", () => {
    expect(socialProviders({ PATH: "/bin" })).toEqual({ configured: {}, problems: [] });
  });

  it.each(providerIds.map((id) => [id]))("reports each variable that %s lacks", (id) => {
    const { needs } = variablesOf(id);
    for (const missing of needs) {
      const { problems } = socialProviders(Object.fromEntries(needs.filter((name) => name !== missing).map((name) => [name, "x"])));
      expect(problems).toContain(`${missing} is missing: sign-in with ${id} needs it`);
    }
  });

  it("uses PayPal's sandbox by default", () => {
    const env = { PAYPAL_CLIENT_ID: "id", PAYPAL_CLIENT_SECRET: "secret" };
    expect(socialProviders(env).configured["paypal"]).toEqual({ clientId: "id", clientSecret: "secret", environment: "sandbox" });
    expect(socialProviders({ ...env, PAYPAL_ENVIRONMENT: "live" }).configured["paypal"]).toMatchObject({ environment: "live" });
    expect(socialProviders({ ...env, PAYPAL_ENVIRONMENT: "prod" }).problems).toEqual([
      "PAYPAL_ENVIRONMENT is invalid; expected sandbox or live",
    ]);
  });

  it("accepts Apple's key with real or escaped line ends, and never repeats it", () => {
    const env = { APPLE_CLIENT_ID: "id", APPLE_TEAM_ID: "team", APPLE_KEY_ID: "key" };
    const key = pem("P-256");
    for (const written of [key, key.replaceAll("\n", "\\n")])
      expect(socialProviders({ ...env, APPLE_PRIVATE_KEY: written })).toMatchObject({
        configured: { apple: { privateKey: key } },
        problems: [],
      });
    for (const wrong of ["a key", pem("P-384")])
      expect(socialProviders({ ...env, APPLE_PRIVATE_KEY: wrong }).problems).toEqual([
        "APPLE_PRIVATE_KEY is invalid; expected the text of the .p8 file of Sign in with Apple",
      ]);
  });
});
