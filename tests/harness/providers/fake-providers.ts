import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { exportJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { providerIds, variablesOf } from "../../../server/config/providers.ts";
import { allProviders, appleKey, COGNITO } from "./settings.ts";
import { type Person, PICTURE, type ProviderId, shapes } from "./shapes.ts";

export type Redirect = { url: string; form: URLSearchParams | null };

export type FakeProviders = {
  settings: Record<string, string>;
  origin: string;
  newPerson(id: ProviderId, fields?: Partial<Person>): Person;
  authorize(id: ProviderId, authorizationUrl: string, person: Person, how?: { refuses: boolean }): Redirect;
  issue(id: ProviderId, person: Person, app?: string): string;
  sign(claims: JWTPayload, how?: { alg?: string; secret?: Uint8Array; kid?: string }): Promise<string>;
  requestCount(address: string): number;
  redirected: Set<string>;
  broken: Set<string>;
  followed(): number;
  close(): Promise<void>;
};

type Code = {
  id: ProviderId;
  person: Person;
  redirectUri: string;
  challenge: string | null;
  scopes: string[];
  refresh: boolean;
  device: string;
};
type Token = { id: ProviderId; person: Person; scopes: string[]; app: string };
type Refresh = Token & { device: string };

const KEY_ID = "fake";
const ID_TOKEN_SECONDS = 3600;

export const KEY_ADDRESSES = {
  apple: "https://appleid.apple.com/auth/keys",
  cognito: `https://cognito-idp.${COGNITO.region}.amazonaws.com/${COGNITO.pool}/.well-known/jwks.json`,
  facebook: "https://limited.facebook.com/.well-known/oauth/openid/jwks/",
  google: "https://www.googleapis.com/oauth2/v3/certs",
  microsoft: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
};
export const LINE_VERIFY = "https://api.line.me/oauth2/v2.1/verify";

const VARIANTS: [string, string][] = [
  ["https://www.paypal.com/", "https://www.sandbox.paypal.com/"],
  ["https://api-m.paypal.com/", "https://api-m.sandbox.paypal.com/"],
  ["https://test.salesforce.com/", "https://login.salesforce.com/"],
  ["https://login.microsoftonline.com/organizations/", "https://login.microsoftonline.com/common/"],
];

const hostOf = (address: string) => new URL(address).host;
const PICTURE_HOSTS = new Set(Object.values(shapes).flatMap(({ picture }) => (picture ? [hostOf(picture("x"))] : [])));
const HOSTS = new Set([
  ...Object.values(shapes).flatMap(({ token, refresh, profile }) =>
    [token, refresh ?? token, ...Object.keys(profile).map((key) => key.split(" ")[1] ?? "")].map(hostOf),
  ),
  ...Object.values(KEY_ADDRESSES).map(hostOf),
  ...PICTURE_HOSTS,
  ...VARIANTS.map(([address]) => hostOf(address)),
]);

const addressOf = (url: URL) => url.origin + decodeURIComponent(url.pathname);

class BrokenConnection extends Error {}

const secretOf = (id: ProviderId) => allProviders[`${id.toUpperCase()}_CLIENT_SECRET`] ?? "";
export const clientIdOf = (id: ProviderId) => allProviders[variablesOf(id).needs[0] ?? ""] ?? "";

/** Serves the token, key and profile addresses of all thirty providers (`shapes.ts`). `redirect.ts` sends the app's requests here. */
export async function startFakeProviders(): Promise<FakeProviders> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: "RS256", use: "sig" }] };
  const codes = new Map<string, Code>();
  const accessTokens = new Map<string, Token>();
  const refreshTokens = new Map<string, Refresh>();
  const requested = new Map<string, number>();
  const redirected = new Set<string>();
  const broken = new Set<string>();
  const introduced = new Set<string>();
  let followed = 0;

  const sign: FakeProviders["sign"] = (claims, { alg = "RS256", secret, kid = KEY_ID } = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(secret ?? privateKey);

  const idTokenOf = async (id: ProviderId, person: Person) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { ...shapes[id].idToken?.(person, clientIdOf(id)), iat: now, exp: now + ID_TOKEN_SECONDS };
    return id === "line" ? sign(claims, { alg: "HS256", secret: new TextEncoder().encode(secretOf(id)) }) : sign(claims);
  };

  function issue(id: ProviderId, person: Person, scopes: string[], app = clientIdOf(id)): string {
    const token = `access-${randomUUID()}`;
    accessTokens.set(token, { id, person, scopes, app });
    return token;
  }

  async function tokens({ id, person, scopes, device }: Refresh, withRefresh: boolean) {
    const shape = shapes[id];
    const refresh = `refresh-${randomUUID()}`;
    if (withRefresh) refreshTokens.set(refresh, { id, person, scopes, device, app: clientIdOf(id) });
    return {
      access_token: issue(id, person, scopes),
      token_type: "Bearer",
      ...(shape.expiresIn !== null && { expires_in: shape.expiresIn }),
      ...(withRefresh && { refresh_token: refresh }),
      ...(shape.scope && { scope: shape.scope(scopes) }),
      ...(shape.idToken && { id_token: await idTokenOf(id, person) }),
      ...shape.tokenFields?.(person, scopes),
    };
  }

  async function isOurClient(id: ProviderId, body: URLSearchParams, authorization: string): Promise<boolean> {
    const { client } = shapes[id];
    const [clientId, secret] = [clientIdOf(id), secretOf(id)];
    const basic = authorization === `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}` && !body.has("client_secret");
    const posted = body.get("client_id") === clientId && body.get("client_secret") === secret;
    if (client === "basic") return basic;
    if (client === "either") return basic || posted;
    if (client === "key") return body.get("client_key") === clientId && body.get("client_secret") === secret;
    if (client === "post") return posted;
    const options = {
      issuer: allProviders["APPLE_TEAM_ID"] ?? "",
      subject: clientId,
      audience: "https://appleid.apple.com",
      clockTolerance: 60,
    };
    const { protectedHeader } = await jwtVerify(body.get("client_secret") ?? "", appleKey.publicKey, options);
    return body.get("client_id") === clientId && protectedHeader.kid === allProviders["APPLE_KEY_ID"];
  }

  async function answerToken(id: ProviderId, address: string, body: URLSearchParams, request: IncomingMessage): Promise<Answer> {
    const shape = shapes[id];
    const refuse = (error: string, status = 400): Answer => ({ status, json: { error } });
    if (!(await isOurClient(id, body, request.headers.authorization ?? "").catch(() => false))) return refuse("invalid_client", 401);
    if (id === "github" && request.headers.accept !== "application/json") return refuse("not_acceptable", 406);
    if (body.get("grant_type") === "refresh_token") {
      const known = refreshTokens.get(body.get("refresh_token") ?? "");
      if (known?.id !== id || address !== (shape.refresh ?? shape.token)) return refuse("invalid_grant");
      if (id === "vk" && body.get("device_id") !== known.device) return refuse("invalid_request");
      if (shape.refreshToken === "rotates") refreshTokens.delete(body.get("refresh_token") ?? "");
      return { status: 200, json: await tokens(known, shape.refreshToken === "rotates") };
    }
    const code = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (code?.id !== id || address !== shape.token || body.get("grant_type") !== "authorization_code") return refuse("invalid_grant");
    if (body.get("redirect_uri") !== code.redirectUri || (code.challenge !== null && code.challenge !== verifier))
      return refuse("invalid_grant");
    if (id === "vk" && body.get("device_id") !== code.device) return refuse("invalid_request");
    return { status: 200, json: await tokens({ ...code, app: clientIdOf(id) }, code.refresh) };
  }

  async function answerProfile(key: string, url: URL, body: string, request: IncomingMessage): Promise<Answer | null> {
    const id = providerIds.find((each) => Object.hasOwn(shapes[each].profile, key));
    if (id === undefined) return null;
    const bearer = request.headers.authorization?.replace(/^Bearer /, "");
    const debugged = url.searchParams.get("input_token");
    const presented = debugged ?? bearer ?? new URLSearchParams(body).get("access_token");
    const token = accessTokens.get(presented ?? "");
    if (debugged !== null) {
      if (url.searchParams.get("access_token") !== `${clientIdOf(id)}|${secretOf(id)}`)
        return { status: 400, json: { error: { code: 190 } } };
      if (token?.id !== id)
        return { status: 200, json: { data: { is_valid: false, scopes: [], error: { code: 190, message: "Invalid" } } } };
    }
    if (token?.id !== id) return { status: 401, json: { error: "invalid_token" } };
    const { person, scopes } = token;
    const found = shapes[id].profile[key]?.(person, { params: url.searchParams, body, headers: request.headers, scopes });
    if (Buffer.isBuffer(found))
      return person.picture === null ? { status: 404, json: { error: "ImageNotFound" } } : { status: 200, bytes: found };
    const status: unknown = Object(found).status;
    if (debugged !== null) Object.assign(Object(found).data, { app_id: token.app });
    return { status: typeof status === "number" ? status : 200, json: found };
  }

  async function verifyForLine(body: URLSearchParams): Promise<Answer> {
    try {
      const secret = new TextEncoder().encode(secretOf("line"));
      const checks = { issuer: "https://access.line.me", audience: body.get("client_id") ?? "", algorithms: ["HS256"] };
      const { payload } = await jwtVerify(body.get("id_token") ?? "", secret, checks);
      return { status: 200, json: payload };
    } catch {
      return { status: 400, json: { error: "invalid_request", error_description: "Invalid IdToken." } };
    }
  }

  async function answer(request: IncomingMessage, origin: string): Promise<Answer> {
    let path = request.url ?? "/";
    if (path.startsWith("/moved/")) {
      followed += 1;
      path = path.slice("/moved".length);
    }
    const url = new URL(`https:/${path}`);
    const address = addressOf(url);
    requested.set(address, (requested.get(address) ?? 0) + 1);
    if (redirected.has(address) && !request.url?.startsWith("/moved/")) return { status: 307, location: `${origin}/moved${path}` };
    if (broken.has(address)) throw new BrokenConnection();
    const body = await readText(request);
    const [found] = VARIANTS.filter(([variant]) => address.startsWith(variant));
    const usual = found ? address.replace(found[0], found[1]) : address;

    const id = providerIds.find((each) => shapes[each].token === usual || shapes[each].refresh === usual);
    if (id !== undefined && request.method === "POST") return answerToken(id, usual, new URLSearchParams(body), request);
    if (Object.values(KEY_ADDRESSES).includes(usual)) return { status: 200, json: keys };
    if (usual === LINE_VERIFY) return verifyForLine(new URLSearchParams(body));
    const profile = await answerProfile(`${request.method} ${usual}`, url, body, request);
    if (profile) return profile;
    if (PICTURE_HOSTS.has(url.host) && request.method === "GET") return { status: 200, bytes: PICTURE };
    return { status: 404, json: { error: `Nothing at ${request.method} ${address}` } };
  }

  const server = createServer((request, response) => {
    answer(request, origin).then(
      (given) => send(response, given),
      (error: unknown) => {
        if (error instanceof BrokenConnection) response.destroy();
        else send(response, { status: 500, json: { error: String(error) } });
      },
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const listening = server.address();
  if (listening === null || typeof listening === "string") throw new Error("No port");
  const origin = `http://127.0.0.1:${listening.port}`;

  return {
    settings: {
      ...allProviders,
      NODE_OPTIONS: `--import ${new URL("./redirect.ts", import.meta.url)}`,
      FAKE_PROVIDERS: origin,
      PROVIDER_HOSTS: [...HOSTS].join(","),
    },
    origin,
    newPerson(id, fields = {}) {
      const personId = shapes[id].newId();
      return {
        id: personId,
        firstName: "Grace",
        lastName: "Hopper",
        name: "Grace Hopper",
        handle: `grace_${randomUUID().slice(0, 8)}`,
        email: `${randomUUID()}@example.com`,
        verified: true,
        picture: shapes[id].picture?.(personId) ?? null,
        ...fields,
      };
    },
    authorize(id, authorizationUrl, person, { refuses } = { refuses: false }) {
      const url = new URL(authorizationUrl);
      const { searchParams } = url;
      const param = (name: string) => searchParams.get(name);
      const shape = shapes[id];
      const [found] = VARIANTS.filter(([variant]) => url.href.startsWith(variant));
      if ((found ? url.href.replace(found[0], found[1]) : url.href).split("?")[0] !== shape.authorization)
        throw new Error(`${id} has no page at ${url.href}`);
      for (const [name, value] of Object.entries({ response_type: "code", ...shape.asks })) {
        if (param(name) !== value) throw new Error(`${id} was asked with ${name}=${param(name)}, not ${value}`);
      }
      if (shape.pkce && param("code_challenge_method") !== "S256") throw new Error(`${id} was asked without PKCE`);
      if (param(id === "tiktok" ? "client_key" : "client_id") !== clientIdOf(id)) throw new Error(`${id} does not know the client`);
      const redirectUri = param("redirect_uri") ?? "";
      const back = new URLSearchParams({ state: param("state") ?? "" });
      if (refuses) for (const [name, value] of Object.entries(shape.refusal)) back.set(name, value);
      else {
        const code = randomUUID();
        const device = `device-${randomUUID()}`;
        const scopes = (param("scope") ?? param("user_scope") ?? "").split(/[\s,]+/).filter(Boolean);
        codes.set(code, {
          id,
          person,
          redirectUri,
          challenge: param("code_challenge"),
          scopes,
          device,
          refresh: shape.refreshToken !== "none",
        });
        back.set("code", code);
        if (id === "vk") back.set("device_id", device);
      }
      if (id !== "apple") return { url: `${redirectUri}?${back}`, form: null };
      if (!refuses && !introduced.has(person.id)) {
        introduced.add(person.id);
        const { firstName, lastName, email } = person;
        back.set("user", JSON.stringify({ name: { firstName, lastName }, email }));
      }
      return { url: redirectUri, form: back };
    },
    issue: (id, person, app) => issue(id, person, [], app),
    sign,
    requestCount: (address) => requested.get(addressOf(new URL(address))) ?? 0,
    redirected,
    broken,
    followed: () => followed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { status: number; json?: unknown; bytes?: Buffer; location?: string };

function send(response: ServerResponse, { status, json, bytes, location }: Answer): void {
  if (location !== undefined) response.setHeader("Location", location);
  response.writeHead(status, { "Content-Type": bytes ? "image/png" : "application/json" }).end(bytes ?? JSON.stringify(json ?? {}));
}
