import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it, vi } from "vitest";
import authConfig from "#convex/auth.config";
import { SERVICE_AUDIENCE, TOKEN_ISSUER, USER_AUDIENCE } from "~/config";
import { testConfig } from "~/http/testing";
import { jwksUri, readUserToken, signServiceToken, signUserToken } from "./tokens.server";

const key = testConfig.signingKey;
const claims = {
  userId: "u1",
  sessionId: "s1",
  user: { id: "u1", name: "Ada Ł", email: "ada@example.com", emailVerified: true, image: null },
};
const inAWeek = () => new Date(Date.now() + 7 * 24 * 3600 * 1000);

/** What the deployment reads, by the key set that it was given. */
async function asDeployment(token: string, audience: string) {
  const response = await fetch(jwksUri(key));
  const { payload } = await jwtVerify(token, createLocalJWKSet(await response.json()), {
    audience,
    issuer: TOKEN_ISSUER,
    algorithms: ["ES256"],
  });
  return payload;
}

describe("a person's token", () => {
  it("says who and in which session, for 15 minutes, to the deployment", async () => {
    const payload = await asDeployment(await signUserToken(key, claims, inAWeek()), USER_AUDIENCE);
    expect(payload).toMatchObject({ sub: "u1", sessionId: "s1", name: "Ada Ł", email: "ada@example.com" });
    expect(payload["service"]).toBeUndefined();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60);
  });

  it("ends with the session, if that is nearer", async () => {
    const payload = await asDeployment(await signUserToken(key, claims, new Date(Date.now() + 60_000)), USER_AUDIENCE);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(60);
  });

  it("comes back as it was", async () => {
    expect(await readUserToken(key, await signUserToken(key, claims, inAWeek()))).toEqual(claims);
  });

  it("is nobody's when it was altered, is no token, or is for the server", async () => {
    const token = await signUserToken(key, claims, inAWeek());
    const [header = "", , signature = ""] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "u2", iss: TOKEN_ISSUER, aud: USER_AUDIENCE, exp: 9e9 })).toString(
      "base64url",
    );
    for (const bad of [`${header}.${forged}.${signature}`, "", "a.b.c", await signServiceToken(key)]) {
      expect(await readUserToken(key, bad)).toBeNull();
    }
  });

  it("is nobody's without a signature", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const none = `${part({ alg: "none" })}.${part({ sub: "u1", sessionId: "s", name: "n", email: "e", iss: TOKEN_ISSUER, aud: USER_AUDIENCE, exp: 9e9 })}.`;
    expect(await readUserToken(key, none)).toBeNull();
  });

  it("counts as over before it is", async () => {
    const token = await signUserToken(key, claims, inAWeek());
    vi.useFakeTimers({ now: Date.now() + 14.5 * 60_000 });
    expect(await readUserToken(key, token)).not.toBeNull();
    expect(await readUserToken(key, token, 60)).toBeNull();
    vi.useRealTimers();
  });
});

it("the server's own token names no session and opens nothing of a person's", async () => {
  const token = await signServiceToken(key);
  expect(await asDeployment(token, SERVICE_AUDIENCE)).toMatchObject({ sub: "app-server", service: true });
  await expect(asDeployment(token, USER_AUDIENCE)).rejects.toThrow(/aud/);
});

it("tells the public half of the key alone", () => {
  expect(decodeURIComponent(jwksUri(key))).not.toContain(key.d);
});

it("is believed by the deployment, which knows the same names", () => {
  expect(authConfig.providers.map(({ issuer, applicationID, algorithm }) => [issuer, applicationID, algorithm])).toEqual([
    [TOKEN_ISSUER, USER_AUDIENCE, "ES256"],
    [TOKEN_ISSUER, SERVICE_AUDIENCE, "ES256"],
  ]);
});
