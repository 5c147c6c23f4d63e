import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it, vi } from "vitest";
import authConfig from "#convex/auth.config";
import { LINK_AUDIENCE, SERVICE_AUDIENCE, TOKEN_ISSUER, USER_AUDIENCE } from "~/config";
import { testConfig } from "~/lib/http/testing";
import {
  jwksUri,
  MIN_USER_TOKEN_SECONDS,
  readUserToken,
  signLinkToken,
  signServiceToken,
  signUserToken,
  USER_TOKEN_SECONDS,
} from "./tokens.server";

const key = testConfig.signingKey;
const claims = {
  userId: "u1",
  sessionId: "s1",
  user: { id: "u1", name: "Ada Ł", email: "ada@example.com", emailVerified: true, image: null },
};
const inAWeek = () => new Date(Date.now() + 7 * 24 * 3600 * 1000);

async function asDeployment(token: string, audience: string) {
  const response = await fetch(jwksUri(key));
  const { payload } = await jwtVerify(token, createLocalJWKSet(await response.json()), {
    audience,
    issuer: TOKEN_ISSUER,
    algorithms: ["ES256"],
  });
  return payload;
}

const secondsLeft = ({ exp = 0 }: { exp?: number }) => exp - Date.now() / 1000;

describe("a user's token", () => {
  it("identifies user and session to the deployment for 15 minutes", { tags: "@names-user-session-15-minutes-deployment" }, async () => {
    const payload = await asDeployment(await signUserToken(key, claims, inAWeek()), USER_AUDIENCE);
    expect(payload).toMatchObject({ sub: "u1", sessionId: "s1", name: "Ada Ł", email: "ada@example.com" });
    expect(payload["service"]).toBeUndefined();
    expect(secondsLeft(payload)).toBeCloseTo(15 * 60, -1);
  });

  it.each([
    [300, 300],
    [10, MIN_USER_TOKEN_SECONDS],
    [-10, MIN_USER_TOKEN_SECONDS],
    [3600, USER_TOKEN_SECONDS],
  ])("for a session with %i s left is valid for %i s", { tags: "@session-s-left-valid-s" }, async (session, lifetime) => {
    const payload = await asDeployment(await signUserToken(key, claims, new Date(Date.now() + session * 1000)), USER_AUDIENCE);
    expect(secondsLeft(payload)).toBeCloseTo(lifetime, -1);
  });

  it("names the client's network for the audit log", async () => {
    const token = await signUserToken(key, claims, inAWeek(), { address: "192.0.2.0/24" });
    expect(await asDeployment(token, USER_AUDIENCE)).toMatchObject({ address: "192.0.2.0/24" });
    expect(await asDeployment(await signUserToken(key, claims, inAWeek()), USER_AUDIENCE)).not.toHaveProperty("address");
  });

  it("is read back unchanged", async () => {
    expect(await readUserToken(key, await signUserToken(key, claims, inAWeek()))).toEqual(claims);
  });

  it("is rejected if altered, malformed, or issued for the server", { tags: "@rejected-if-altered-malformed-meant-server" }, async () => {
    const token = await signUserToken(key, claims, inAWeek());
    const [header = "", , signature = ""] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "u2", iss: TOKEN_ISSUER, aud: USER_AUDIENCE, exp: 9e9 })).toString(
      "base64url",
    );
    for (const bad of [`${header}.${forged}.${signature}`, "", "a.b.c", await signServiceToken(key)]) {
      expect(await readUserToken(key, bad)).toBeNull();
    }
  });

  it("is rejected without a signature", { tags: "@rejected-without-signature" }, async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const none = `${part({ alg: "none" })}.${part({ sub: "u1", sessionId: "s", name: "n", email: "e", iss: TOKEN_ISSUER, aud: USER_AUDIENCE, exp: 9e9 })}.`;
    expect(await readUserToken(key, none)).toBeNull();
  });

  it("expires earlier by the leeway", { tags: "@expires-early-given-leeway" }, async () => {
    const token = await signUserToken(key, claims, inAWeek());
    vi.useFakeTimers({ now: Date.now() + 14.5 * 60_000 });
    expect(await readUserToken(key, token)).not.toBeNull();
    expect(await readUserToken(key, token, 60)).toBeNull();
    vi.useRealTimers();
  });
});

it("a link's token is valid for five minutes, and is no user token", { tags: "@link-is-own-caller" }, async () => {
  const token = await signLinkToken(key, { linkId: "l1", lock: 2 });
  const payload = await asDeployment(token, LINK_AUDIENCE);
  expect(payload).toMatchObject({ sub: "public-link l1", linkId: "l1", lock: 2 });
  expect(secondsLeft(payload)).toBeCloseTo(5 * 60, -1);
  await expect(asDeployment(token, USER_AUDIENCE)).rejects.toThrow(/aud/);
  expect(await readUserToken(key, token)).toBeNull();
});

it("the server's token names no session and is no user token", { tags: "@servers-token-names-no-session-no" }, async () => {
  const token = await signServiceToken(key);
  expect(await asDeployment(token, SERVICE_AUDIENCE)).toMatchObject({ sub: "app-server", service: true });
  await expect(asDeployment(token, USER_AUDIENCE)).rejects.toThrow(/aud/);
});

it("publishes only the public half of the key", { tags: "@publishes-only-public-half-key" }, () => {
  expect(decodeURIComponent(jwksUri(key))).not.toContain(key.d);
});

it("matches the issuer and audiences of the deployment", { tags: "@matches-issuer-audiences-deployment" }, () => {
  expect(authConfig.providers.map(({ issuer, applicationID, algorithm }) => [issuer, applicationID, algorithm])).toEqual([
    [TOKEN_ISSUER, USER_AUDIENCE, "ES256"],
    [TOKEN_ISSUER, LINK_AUDIENCE, "ES256"],
    [TOKEN_ISSUER, SERVICE_AUDIENCE, "ES256"],
  ]);
});
