import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestError } from "../http/errors.ts";
import type { Json } from "../values/types.ts";
import { checkProviders } from "./providers.ts";
import { createTokenVerifier, hasExpired } from "./tokens.ts";

const ISSUER = "https://issuer.test";
const now = () => Math.floor(Date.now() / 1000);

type Keys = { privateKey: CryptoKey; jwks: string };

async function makeKeys(alg: string): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwks: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg, kid: "k" }] }) };
}

const sign = (key: CryptoKey, alg: string, claims: JWTPayload, header: { kid?: string } = { kid: "k" }) =>
  new SignJWT({ iss: ISSUER, sub: "ada", aud: "app", iat: now(), exp: now() + 60, ...claims })
    .setProtectedHeader({ alg, ...header, typ: "JWT" })
    .sign(key);

const claims = (fields: Record<string, unknown>): JWTPayload => fields;
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

let es: Keys;
let rs: Keys;
beforeAll(async () => {
  [es, rs] = await Promise.all([makeKeys("ES256"), makeKeys("RS256")]);
});

const custom = (keys: Keys, fields: { [key: string]: Json } = {}): Json => ({
  type: "customJwt",
  issuer: ISSUER,
  applicationID: "app",
  jwks: `data:text/plain;charset=utf-8,${encodeURIComponent(keys.jwks)}`,
  algorithm: "ES256",
  ...fields,
});

const reported: unknown[] = [];
function verifier(...providers: Json[]) {
  const tokens = createTokenVerifier();
  tokens.configure(providers, (error) => reported.push(error));
  return tokens;
}

const refusal = (promise: Promise<unknown>): Promise<RequestError> =>
  promise.then(
    () => Promise.reject(new Error("was accepted")),
    (error: unknown) => (error instanceof RequestError ? error : Promise.reject(error)),
  );

describe("customJwt", () => {
  it("accepts ES256 and RS256 with keys in a data: URI, plain or base64", { tags: "@accepts-es256-rs256-keys-data-uri" }, async () => {
    expect(await verifier(custom(es)).verify(await sign(es.privateKey, "ES256", {}))).toMatchObject({
      kind: "user",
      user: { subject: "ada", issuer: ISSUER, tokenIdentifier: `${ISSUER}|ada` },
    });
    const base64 = { jwks: `data:application/json;base64,${Buffer.from(rs.jwks).toString("base64")}`, algorithm: "RS256" };
    expect(await verifier(custom(rs, base64)).verify(await sign(rs.privateKey, "RS256", {}))).toMatchObject({ kind: "user" });
  });

  it("maps the standard claims to Convex's names and flattens the others", async () => {
    const token = await sign(es.privateKey, "ES256", {
      name: "Ada",
      email_verified: true,
      picture: "p",
      sessionId: "s1",
      properties: { id: 7, deep: { er: "x" } },
      tags: ["a"],
    });
    const { user } = await verifier(custom(es)).verify(token);
    expect(user).toEqual({
      tokenIdentifier: `${ISSUER}|ada`,
      subject: "ada",
      issuer: ISSUER,
      name: "Ada",
      emailVerified: true,
      pictureUrl: "p",
      sessionId: "s1",
      "properties.id": 7,
      "properties.deep.er": "x",
      tags: ["a"],
    });
  });

  it("does not let a claim override the verified fields", async () => {
    const token = await sign(es.privateKey, "ES256", { tokenIdentifier: "other|person", subject: "other", issuer: "other" });
    expect((await verifier(custom(es)).verify(token)).user).toMatchObject({
      tokenIdentifier: `${ISSUER}|ada`,
      subject: "ada",
      issuer: ISSUER,
    });
  });

  it("distinguishes two applications of one issuer by aud", { tags: "@distinguishes-two-applications-issuer-aud" }, async () => {
    const tokens = verifier(custom(rs, { applicationID: "service", algorithm: "RS256" }), custom(es));
    expect(await tokens.verify(await sign(es.privateKey, "ES256", {}))).toMatchObject({ kind: "user" });
    expect((await refusal(tokens.verify(await sign(es.privateKey, "ES256", { aud: "service" })))).code).toBe("Unauthenticated");
  });

  it("does not check aud without an applicationID", async () => {
    expect(
      await verifier(custom(es, { applicationID: null })).verify(await sign(es.privateKey, "ES256", { aud: "anything" })),
    ).toMatchObject({ kind: "user" });
  });

  it.each<[string, () => Promise<string>, string]>([
    ["another issuer", () => sign(es.privateKey, "ES256", { iss: "https://else" }), "NoAuthProvider"],
    ["another application", () => sign(es.privateKey, "ES256", { aud: "else" }), "NoAuthProvider"],
    ["a foreign key", async () => sign((await makeKeys("ES256")).privateKey, "ES256", {}), "Unauthenticated"],
    ["another algorithm", () => sign(rs.privateKey, "RS256", {}), "Unauthenticated"],
    ["no signature", async () => new UnsecuredJWT({ iss: ISSUER, sub: "ada", aud: "app", exp: now() + 60 }).encode(), "Unauthenticated"],
    ["a time past the skew", () => sign(es.privateKey, "ES256", { exp: now() - 6 }), "Unauthenticated"],
    ["no end", () => sign(es.privateKey, "ES256", { exp: undefined }), "Unauthenticated"],
    ["a beginning past the skew", () => sign(es.privateKey, "ES256", { nbf: now() + 8 }), "Unauthenticated"],
    ["a time of issue past the skew", () => sign(es.privateKey, "ES256", { iat: now() + 8 }), "Unauthenticated"],
    ["no kid", () => sign(es.privateKey, "ES256", {}, {}), "Unauthenticated"],
    ["a number as issuer", () => sign(es.privateKey, "ES256", claims({ iss: 7 })), "NoAuthProvider"],
    ["a number as subject", () => sign(es.privateKey, "ES256", claims({ sub: 7 })), "Unauthenticated"],
    ["deeply nested claims", () => sign(es.privateKey, "ES256", { deep: nested(1_001) }), "Unauthenticated"],
    ["no form", async () => "nonsense", "Unauthenticated"],
  ])("refuses a token with %s", async (_what, token, code) => {
    expect(await refusal(verifier(custom(es)).verify(await token()))).toMatchObject({ status: 401, code });
  });

  it("allows five seconds of clock skew", { tags: "@allows-five-seconds-clock-skew" }, async () => {
    for (const claims of [{ exp: now() - 3 }, { iat: now() + 4 }, { nbf: now() + 4 }])
      expect(await verifier(custom(es)).verify(await sign(es.privateKey, "ES256", claims))).toMatchObject({ kind: "user" });
  });

  it("clears its cache of tokens when the providers change", async () => {
    const tokens = verifier(custom(es));
    const token = await sign(es.privateKey, "ES256", {});
    await tokens.verify(token);
    tokens.configure([custom(rs)], (error) => reported.push(error));
    expect((await refusal(tokens.verify(token))).status).toBe(401);
  });

  const unusable: [string, { [key: string]: Json }][] = [
    ["no issuer", { issuer: "" }],
    ["another algorithm", { algorithm: "HS256" }],
    ["no key set", { jwks: "data:,7" }],
    ["JSON that cannot be parsed", { jwks: 'data:text/plain,{"keys":[],}' }],
    ["a percent sign that encodes nothing", { jwks: "data:,%zz" }],
    ["a data: URI without a comma", { jwks: "data:nothing" }],
    ["keys that are no objects", { jwks: 'data:,{"keys":[7]}' }],
    ["an address that is none", { jwks: "not a url" }],
    ["an address of a file", { jwks: "file:///etc/keys" }],
    ["a domain that is none", { type: "oidc", domain: "http://[" }],
  ];
  it.each(unusable)("rejects a provider with %s", (_what, fields) => {
    expect(() => checkProviders([custom(es, fields)])).toThrow(/^auth\.config: |^JSON Web Key Set malformed$/);
  });

  it.each(unusable)("refuses only that provider's tokens with %s", async (_what, fields) => {
    reported.length = 0;
    const tokens = verifier(custom(rs, { issuer: "https://broken.test", ...fields }), custom(es));
    const broken = await sign(rs.privateKey, "RS256", { iss: "https://broken.test" });
    expect(await refusal(tokens.verify(broken))).toMatchObject({ status: 401, code: "NoAuthProvider" });
    expect(await tokens.verify(await sign(es.privateKey, "ES256", {}))).toMatchObject({ kind: "user" });
    expect(reported).toHaveLength(1);
  });

  it("rejects tokens with 401 when a key in a data: URI is unusable", async () => {
    const key = { kty: "EC", crv: "P-256", x: "!", y: "!", alg: "ES256", kid: "k" };
    const tokens = verifier(custom(es, { jwks: `data:,${encodeURIComponent(JSON.stringify({ keys: [key] }))}` }));
    expect(await refusal(tokens.verify(await sign(es.privateKey, "ES256", {})))).toMatchObject({ status: 401, code: "Unauthenticated" });
  });
});

describe("OpenID Connect", () => {
  const server = createServer((request, response) => {
    const address = server.address();
    const origin = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
    response.end(request.url === "/.well-known/openid-configuration" ? JSON.stringify({ jwks_uri: `${origin}/keys` }) : rs.jwks);
  });
  let domain = "";
  beforeAll(
    () =>
      new Promise<void>((done) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address();
          domain = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
          done();
        });
      }),
  );
  afterAll(() => server.close());

  it("discovers the keys through the provider's document", async () => {
    const tokens = verifier({ domain, applicationID: "app" });
    const { user } = await tokens.verify(await sign(rs.privateKey, "RS256", { iss: domain, nested: { stays: 1 } }));
    expect(user).toMatchObject({ issuer: domain, nested: { stays: 1 } });
  });

  it("reports unavailable keys instead of an invalid token", async () => {
    const gone = verifier({ domain: "http://127.0.0.1:1", applicationID: "app" });
    expect(await refusal(gone.verify(await sign(rs.privateKey, "RS256", { iss: "http://127.0.0.1:1" })))).toMatchObject({ status: 503 });
  });
});

it("expires users' tokens after the clock skew, and administrators' never", () => {
  const user = { subject: "a", issuer: "i", tokenIdentifier: "i|a" };
  expect(hasExpired({ kind: "user", user, expiresAt: 10_000 }, 14_999)).toBe(false);
  expect(hasExpired({ kind: "user", user, expiresAt: 10_000 }, 15_000)).toBe(true);
  expect(hasExpired({ kind: "admin" }, Number.MAX_SAFE_INTEGER)).toBe(false);
});
