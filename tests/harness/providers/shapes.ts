import { randomInt, randomUUID } from "node:crypto";
import type { providerIds } from "../../../server/config/providers.ts";
import { COGNITO } from "./settings.ts";

export type ProviderId = (typeof providerIds)[number];

export type Person = {
  id: string;
  firstName: string;
  lastName: string;
  name: string;
  handle: string;
  email: string | null;
  verified: boolean | "true" | "false";
  picture: string | null;
};

export type ProfileRequest = {
  params: URLSearchParams;
  body: string;
  headers: Record<string, string | string[] | undefined>;
  scopes: string[];
};

type Claims = Record<string, unknown>;

export type Shape = {
  documentation: string[];
  authorization: string;
  asks?: Record<string, string>;
  pkce: boolean;
  token: string;
  refresh?: string;
  client: "post" | "basic" | "either" | "key" | "apple";
  expiresIn: number | string | null;
  /** "rotates": a refresh returns a new refresh token. "stays": it returns none. "none": a sign-in returns none. */
  refreshToken: "rotates" | "stays" | "none";
  tokenFields?: (person: Person, scopes: string[]) => Claims;
  scope?: (scopes: string[]) => unknown;
  idToken?: (person: Person, clientId: string) => Claims;
  profile: Record<string, (person: Person, request: ProfileRequest) => unknown>;
  newId: () => string;
  picture: ((id: string) => string) | null;
  /** "flag": the provider reports whether the address is verified. "always": it reports verified ones only. */
  address: "flag" | "always" | "unverified" | "none";
  storedName?: (person: Person) => string;
  refusal: Record<string, string>;
};

const digits = (length: number) => Array.from({ length }, (_, index) => randomInt(index === 0 ? 1 : 0, 10)).join("");
const hex = (length: number) => randomUUID().replaceAll("-", "").slice(0, length);
const given = (fields: Claims): Claims => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
const spaced = (scopes: string[]) => scopes.join(" ");
const DENIED = { error: "access_denied" };
const usual = { pkce: true, client: "post", expiresIn: 3600, refreshToken: "rotates", scope: spaced, refusal: DENIED } as const;

const openid = ({ id, name, email, verified, picture }: Person): Claims =>
  given({ sub: id, name, email, email_verified: email === null ? null : verified, picture });

export const shapes: Record<ProviderId, Shape> = {
  apple: {
    ...usual,
    documentation: ["https://developer.apple.com/documentation/signinwithapplerestapi"],
    authorization: "https://appleid.apple.com/auth/authorize",
    asks: { response_mode: "form_post", response_type: "code id_token" },
    token: "https://appleid.apple.com/auth/token",
    client: "apple",
    refreshToken: "stays",
    scope: () => undefined,
    idToken: ({ id, email, verified }, aud) =>
      given({ iss: "https://appleid.apple.com", aud, sub: id, email, email_verified: email === null ? null : verified }),
    profile: {},
    newId: () => `${digits(6)}.${hex(32)}.${digits(4)}`,
    picture: null,
    address: "flag",
    refusal: { error: "user_cancelled_authorize" },
  },
  atlassian: {
    ...usual,
    documentation: ["https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/"],
    authorization: "https://auth.atlassian.com/authorize",
    asks: { audience: "api.atlassian.com" },
    token: "https://auth.atlassian.com/oauth/token",
    profile: {
      "GET https://api.atlassian.com/me": ({ id, name, handle, email, picture }) =>
        given({
          account_type: "atlassian",
          account_id: id,
          email,
          name,
          picture,
          account_status: "active",
          nickname: handle,
          locale: "en-US",
        }),
    },
    newId: () => `${digits(6)}:${randomUUID()}`,
    picture: (id) =>
      `https://secure.gravatar.com/avatar/${id}?d=https%3A%2F%2Favatar-management--avatars.us-west-2.prod.public.atl-paas.net%2FGH.png`,
    address: "unverified",
  },
  cognito: {
    ...usual,
    documentation: ["https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html"],
    authorization: `https://${COGNITO.domain}/oauth2/authorize`,
    token: `https://${COGNITO.domain}/oauth2/token`,
    refreshToken: "stays",
    scope: () => undefined,
    idToken: (person, aud) => ({
      ...openid(person),
      iss: `https://cognito-idp.${COGNITO.region}.amazonaws.com/${COGNITO.pool}`,
      aud,
      token_use: "id",
      "cognito:username": person.handle,
    }),
    profile: {},
    newId: () => randomUUID(),
    picture: (id) => `https://atelier-pictures.s3.eu-central-1.amazonaws.com/${id}.png`,
    address: "flag",
  },
  discord: {
    ...usual,
    documentation: ["https://discord.com/developers/docs/resources/user"],
    pkce: false,
    authorization: "https://discord.com/api/oauth2/authorize",
    token: "https://discord.com/api/oauth2/token",
    expiresIn: 604_800,
    profile: {
      "GET https://discord.com/api/users/@me": ({ id, name, handle, email, verified, picture }) => ({
        id,
        username: handle,
        discriminator: "0",
        global_name: name,
        avatar: picture === null ? null : (/([0-9a-f]{32})\.png$/.exec(picture)?.[1] ?? ""),
        flags: 0,
        locale: "en-US",
        mfa_enabled: false,
        email,
        verified: email === null ? false : verified,
      }),
    },
    newId: () => digits(18),
    picture: (id) => `https://cdn.discordapp.com/avatars/${id}/${hex(32)}.png`,
    address: "flag",
  },
  facebook: {
    ...usual,
    documentation: ["https://developers.facebook.com/docs/graph-api/reference/user"],
    pkce: false,
    authorization: "https://www.facebook.com/v24.0/dialog/oauth",
    token: "https://graph.facebook.com/v24.0/oauth/access_token",
    expiresIn: 5_183_944,
    refreshToken: "none",
    scope: () => undefined,
    profile: {
      "GET https://graph.facebook.com/debug_token": ({ id }, { scopes }) => ({
        data: { app_id: "a-facebook_client_id", type: "USER", application: "Atelier", is_valid: true, scopes, user_id: id },
      }),
      "GET https://graph.facebook.com/me": ({ id, name, email, picture }) =>
        given({ id, name, email, picture: { data: { height: 50, is_silhouette: picture === null, url: picture, width: 50 } } }),
    },
    newId: () => digits(17),
    picture: (id) => `https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=${id}&height=50&width=50&ext=1767000000&hash=AbC`,
    address: "unverified",
    refusal: { error: "access_denied", error_code: "200", error_description: "Permissions error", error_reason: "user_denied" },
  },
  figma: {
    ...usual,
    documentation: ["https://developers.figma.com/docs/rest-api/authentication/"],
    authorization: "https://www.figma.com/oauth",
    token: "https://api.figma.com/v1/oauth/token",
    refresh: "https://api.figma.com/v1/oauth/refresh",
    client: "basic",
    expiresIn: 7_776_000,
    refreshToken: "stays",
    scope: () => undefined,
    tokenFields: ({ id }) => ({ user_id_string: id }),
    profile: { "GET https://api.figma.com/v1/me": ({ id, name, email, picture }) => given({ id, handle: name, email, img_url: picture }) },
    newId: () => digits(19),
    picture: (id) => `https://s3-alpha.figma.com/profile/${id}`,
    address: "unverified",
  },
  github: {
    ...usual,
    documentation: ["https://docs.github.com/en/rest/users/users", "https://docs.github.com/en/rest/users/emails"],
    authorization: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    expiresIn: null,
    refreshToken: "none",
    scope: (scopes) => scopes.join(","),
    profile: {
      "GET https://api.github.com/user": ({ id, handle, name, picture }) => ({
        login: handle,
        id: Number(id),
        avatar_url: picture,
        type: "User",
        name,
        email: null,
      }),
      "GET https://api.github.com/user/emails": ({ email, verified, handle }) =>
        [
          { email: `${handle}@users.noreply.github.com`, verified: true, primary: false, visibility: null },
          ...(email === null ? [] : [{ email, verified, primary: true, visibility: "private" }]),
        ].slice(email === null ? 1 : 0),
    },
    newId: () => digits(8),
    picture: (id) => `https://avatars.githubusercontent.com/u/${id}?v=4`,
    address: "flag",
  },
  microsoft: {
    ...usual,
    documentation: ["https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference"],
    authorization: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    expiresIn: 3599,
    idToken: ({ id, name, handle, email, verified }, aud) =>
      given({
        aud,
        iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
        tid: TENANT,
        oid: id,
        sub: `sub-${id}`,
        name,
        preferred_username: `${handle}@contoso.example`,
        email,
        verified_primary_email: verified === true && email !== null ? [email] : [],
        email_verified: typeof verified === "string" ? verified : null,
        ver: "2.0",
      }),
    profile: { "GET https://graph.microsoft.com/v1.0/me/photos/240x240/$value": () => PICTURE },
    newId: () => randomUUID(),
    picture: () => "https://graph.microsoft.com/v1.0/me/photos/240x240/$value",
    address: "flag",
  },
  google: {
    ...usual,
    documentation: ["https://developers.google.com/identity/openid-connect/openid-connect"],
    authorization: "https://accounts.google.com/o/oauth2/v2/auth",
    asks: { access_type: "offline" },
    token: "https://oauth2.googleapis.com/token",
    expiresIn: 3599,
    refreshToken: "stays",
    idToken: (person, aud) => ({ ...openid(person), iss: "https://accounts.google.com", azp: aud, aud, given_name: person.firstName }),
    profile: {},
    newId: () => digits(21),
    picture: (id) => `https://lh3.googleusercontent.com/a/${id}=s96-c`,
    address: "flag",
  },
  huggingface: {
    ...usual,
    documentation: ["https://huggingface.co/docs/hub/oauth"],
    authorization: "https://huggingface.co/oauth/authorize",
    token: "https://huggingface.co/oauth/token",
    expiresIn: 28_800,
    refreshToken: "none",
    idToken: (person, aud) => ({ ...openid(person), iss: "https://huggingface.co", aud }),
    profile: {
      "GET https://huggingface.co/oauth/userinfo": (person) => ({
        ...openid(person),
        preferred_username: person.handle,
        isPro: false,
        orgs: [],
      }),
    },
    newId: () => hex(24),
    picture: (id) => `https://cdn-avatars.huggingface.co/v1/production/uploads/${id}.png`,
    address: "flag",
  },
  slack: {
    ...usual,
    documentation: ["https://docs.slack.dev/authentication/sign-in-with-slack"],
    pkce: false,
    authorization: "https://slack.com/openid/connect/authorize",
    token: "https://slack.com/api/openid.connect.token",
    expiresIn: null,
    refreshToken: "none",
    scope: () => undefined,
    tokenFields: () => ({ ok: true }),
    idToken: (person, aud) => ({ ...openid(person), iss: "https://slack.com", aud, "https://slack.com/user_id": person.id }),
    profile: {
      "GET https://slack.com/api/openid.connect.userInfo": (person) => ({
        ok: true,
        ...openid(person),
        "https://slack.com/user_id": person.id,
        "https://slack.com/team_id": "T0R7GR",
        "https://slack.com/user_image_512": person.picture,
      }),
    },
    newId: () => `U${hex(8).toUpperCase()}`,
    picture: (id) => `https://avatars.slack-edge.com/2026-01-01/${id}_512.png`,
    address: "flag",
  },
  spotify: {
    ...usual,
    documentation: ["https://developer.spotify.com/documentation/web-api/reference/get-current-users-profile"],
    authorization: "https://accounts.spotify.com/authorize",
    token: "https://accounts.spotify.com/api/token",
    profile: {
      "GET https://api.spotify.com/v1/me": ({ id, name, email, picture }) =>
        given({
          id,
          display_name: name,
          email,
          images: picture === null ? [] : [{ url: picture, height: 300, width: 300 }],
          product: "free",
          type: "user",
        }),
    },
    newId: () => hex(25),
    picture: (id) => `https://i.scdn.co/image/${id}`,
    address: "unverified",
  },
  twitch: {
    ...usual,
    documentation: ["https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/"],
    pkce: false,
    authorization: "https://id.twitch.tv/oauth2/authorize",
    token: "https://id.twitch.tv/oauth2/token",
    expiresIn: 14_124,
    scope: (scopes) => scopes,
    idToken: ({ id, handle, email, verified, picture }, aud) =>
      given({
        aud,
        azp: aud,
        iss: "https://id.twitch.tv/oauth2",
        sub: id,
        email,
        email_verified: email === null ? null : verified,
        picture,
        preferred_username: handle,
      }),
    profile: {},
    newId: () => digits(9),
    picture: (id) => `https://static-cdn.jtvnw.net/jtv_user_pictures/${id}-profile_image-300x300.png`,
    address: "flag",
    storedName: ({ handle }) => handle,
  },
  twitter: {
    ...usual,
    documentation: ["https://docs.x.com/x-api/users/get-my-user"],
    authorization: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    client: "basic",
    expiresIn: 7200,
    profile: {
      "GET https://api.x.com/2/users/me": ({ id, name, handle, email, picture }, { params }) => ({
        data: given({
          id,
          name,
          username: handle,
          profile_image_url: params.get("user.fields")?.includes("profile_image_url") ? picture : null,
          confirmed_email: params.get("user.fields")?.includes("confirmed_email") ? email : null,
        }),
      }),
    },
    newId: () => digits(19),
    picture: (id) => `https://pbs.twimg.com/profile_images/${id}/photo_normal.png`,
    address: "always",
  },
  dropbox: {
    ...usual,
    documentation: ["https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account"],
    authorization: "https://www.dropbox.com/oauth2/authorize",
    asks: { token_access_type: "offline" },
    token: "https://api.dropboxapi.com/oauth2/token",
    expiresIn: 14_400,
    refreshToken: "stays",
    tokenFields: ({ id }) => ({ uid: "12345", account_id: id }),
    profile: {
      "POST https://api.dropboxapi.com/2/users/get_current_account": ({ id, name, firstName, lastName, email, verified, picture }) =>
        given({
          account_id: id,
          name: { given_name: firstName, surname: lastName, familiar_name: firstName, display_name: name, abbreviated_name: "GH" },
          email,
          email_verified: email === null ? null : verified,
          disabled: false,
          profile_photo_url: picture,
        }),
    },
    newId: () => `dbid:${hex(32)}`,
    picture: (id) => `https://dl-web.dropbox.com/account_photo/get/${encodeURIComponent(id)}?vers=1453416696524&size=128x128`,
    address: "flag",
  },
  kick: {
    ...usual,
    documentation: ["https://docs.kick.com/apis/users"],
    authorization: "https://id.kick.com/oauth/authorize",
    token: "https://id.kick.com/oauth/token",
    expiresIn: 7200,
    profile: {
      "GET https://api.kick.com/public/v1/users": ({ id, name, email, picture }) => ({
        data: [given({ user_id: Number(id), name, email: email ?? "", profile_picture: picture })],
        message: "OK",
      }),
    },
    newId: () => digits(7),
    picture: (id) => `https://files.kick.com/images/user/${id}/profile_image/default.png`,
    address: "unverified",
  },
  linear: {
    ...usual,
    documentation: ["https://linear.app/developers/oauth-2-0-authentication"],
    pkce: false,
    authorization: "https://linear.app/oauth/authorize",
    token: "https://api.linear.app/oauth/token",
    expiresIn: 86_399,
    profile: {
      "POST https://api.linear.app/graphql": ({ id, name, email, picture }) => ({
        data: {
          viewer: {
            id,
            name,
            email,
            avatarUrl: picture,
            active: true,
            createdAt: "2026-01-01T00:00:00.000Z",
            updatedAt: "2026-01-01T00:00:00.000Z",
          },
        },
      }),
    },
    newId: () => randomUUID(),
    picture: (id) => `https://public.linear.app/${id}/avatar`,
    address: "unverified",
  },
  linkedin: {
    ...usual,
    documentation: ["https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2"],
    pkce: false,
    authorization: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    expiresIn: 5_184_000,
    refreshToken: "none",
    scope: (scopes) => scopes.join(","),
    idToken: (person, aud) => ({ ...openid(person), iss: "https://www.linkedin.com/oauth", aud }),
    profile: {
      "GET https://api.linkedin.com/v2/userinfo": (person) => ({
        ...openid(person),
        given_name: person.firstName,
        family_name: person.lastName,
      }),
    },
    newId: () => hex(10),
    picture: (id) => `https://media.licdn.com/dms/image/${id}/profile-displayphoto-shrink_100_100/0`,
    address: "flag",
    refusal: { error: "user_cancelled_login", error_description: "The user cancelled LinkedIn login" },
  },
  gitlab: {
    ...usual,
    documentation: ["https://docs.gitlab.com/api/users/"],
    authorization: "https://gitlab.com/oauth/authorize",
    token: "https://gitlab.com/oauth/token",
    expiresIn: 7200,
    profile: {
      "GET https://gitlab.com/api/v4/user": ({ id, handle, name, email, picture }) => ({
        id: Number(id),
        username: handle,
        name,
        state: "active",
        locked: false,
        avatar_url: picture,
        email,
        confirmed_at: "2026-01-01T00:00:00.000Z",
      }),
    },
    newId: () => digits(7),
    picture: (id) => `https://gitlab.com/uploads/-/system/user/avatar/${id}/avatar.png`,
    address: "unverified",
  },
  tiktok: {
    ...usual,
    documentation: ["https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info"],
    pkce: false,
    authorization: "https://www.tiktok.com/v2/auth/authorize",
    token: "https://open.tiktokapis.com/v2/oauth/token/",
    client: "key",
    expiresIn: 86_400,
    scope: (scopes) => scopes.join(","),
    tokenFields: ({ id }) => ({ open_id: id, refresh_expires_in: 31_536_000 }),
    profile: {
      "GET https://open.tiktokapis.com/v2/user/info/": ({ id, name, handle, picture }, { params, scopes }) => {
        const fields = (params.get("fields") ?? "").split(",");
        const scopeOf = (field: string) => (field === "username" ? "user.info.profile" : "user.info.basic");
        const missing = fields.some((field) => !scopes.includes(scopeOf(field)));
        if (missing) return { status: 401, error: { code: "scope_not_authorized", message: "The user did not authorize the scope" } };
        const all: Claims = { open_id: id, display_name: name, username: handle, avatar_large_url: picture };
        return {
          data: { user: given(Object.fromEntries(fields.map((field) => [field, all[field] ?? null]))) },
          error: { code: "ok", message: "" },
        };
      },
    },
    newId: () => `-000${randomUUID()}`,
    picture: (id) => `https://p16-sign-va.tiktokcdn.com/tos-maliva-avt/${id}~c5_1080x1080.png?x-expires=1767000000&x-signature=abc`,
    address: "none",
  },
  reddit: {
    ...usual,
    documentation: ["https://www.reddit.com/dev/api/#GET_api_v1_me"],
    pkce: false,
    authorization: "https://www.reddit.com/api/v1/authorize",
    asks: { duration: "permanent" },
    token: "https://www.reddit.com/api/v1/access_token",
    client: "basic",
    expiresIn: 86_400,
    profile: {
      "GET https://oauth.reddit.com/api/v1/me": ({ id, handle, picture }) => ({
        id,
        name: handle,
        icon_img: picture && `${picture}?width=256&amp;height=256&amp;s=abc`,
        has_verified_email: true,
        oauth_client_id: "a-reddit_client_id",
        verified: true,
      }),
    },
    newId: () => hex(9),
    picture: (id) => `https://styles.redditmedia.com/t5_${id}/styles/profileIcon_${id}.png`,
    address: "none",
    storedName: ({ handle }) => handle,
  },
  roblox: {
    ...usual,
    documentation: ["https://create.roblox.com/docs/cloud/auth/oauth2-reference"],
    pkce: false,
    authorization: "https://apis.roblox.com/oauth/v1/authorize",
    token: "https://apis.roblox.com/oauth/v1/token",
    client: "either",
    expiresIn: 899,
    idToken: ({ id, name, handle, picture }, aud) => ({
      iss: "https://apis.roblox.com/oauth/",
      aud,
      sub: id,
      name,
      nickname: name,
      preferred_username: handle,
      picture,
    }),
    profile: {
      "GET https://apis.roblox.com/oauth/v1/userinfo": ({ id, name, handle, picture }) =>
        given({
          sub: id,
          name,
          nickname: name,
          preferred_username: handle,
          created_at: 1_607_354_232,
          profile: `https://www.roblox.com/users/${id}/profile`,
          picture,
        }),
    },
    newId: () => digits(10),
    picture: (id) => `https://tr.rbxcdn.com/${id}/150/150/AvatarHeadshot/Png`,
    address: "none",
  },
  salesforce: {
    ...usual,
    documentation: ["https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_userinfo_endpoint.htm"],
    authorization: "https://login.salesforce.com/services/oauth2/authorize",
    token: "https://login.salesforce.com/services/oauth2/token",
    expiresIn: null,
    refreshToken: "none",
    tokenFields: ({ id }) => ({
      instance_url: "https://atelier.my.salesforce.com",
      id: `https://login.salesforce.com/id/00D50000000IZ3ZEAW/${id}`,
      issued_at: "1767000000000",
      signature: "c2lnbmF0dXJl",
    }),
    idToken: ({ id }, aud) => ({
      iss: "https://login.salesforce.com",
      aud,
      sub: `https://login.salesforce.com/id/00D50000000IZ3ZEAW/${id}`,
    }),
    profile: {
      "GET https://login.salesforce.com/services/oauth2/userinfo": ({ id, name, handle, email, verified, picture }) =>
        given({
          sub: `https://login.salesforce.com/id/00D50000000IZ3ZEAW/${id}`,
          user_id: id,
          organization_id: "00D50000000IZ3ZEAW",
          preferred_username: `${handle}@atelier.example`,
          nickname: handle,
          name,
          email,
          email_verified: email === null ? null : verified,
          photos: { picture, thumbnail: picture && `${picture}/T` },
        }),
    },
    newId: () => `005${hex(15)}`,
    picture: (id) => `https://atelier.file.force.com/profilephoto/${id}/F`,
    address: "flag",
  },
  vk: {
    ...usual,
    documentation: ["https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-description"],
    authorization: "https://id.vk.com/authorize",
    token: "https://id.vk.com/oauth2/auth",
    tokenFields: ({ id }) => ({ user_id: Number(id), state: "a-state" }),
    idToken: ({ id }, aud) => ({ iss: "VK", aud, sub: id }),
    profile: {
      "POST https://id.vk.com/oauth2/user_info": ({ id, firstName, lastName, email, picture }) => ({
        user: given({
          user_id: id,
          first_name: firstName,
          last_name: lastName,
          avatar: picture,
          email,
          sex: 1,
          verified: false,
          birthday: "09.12.1906",
        }),
      }),
    },
    newId: () => digits(9),
    picture: (id) => `https://sun9-1.userapi.com/impg/${id}.png?size=50x50`,
    address: "unverified",
  },
  zoom: {
    ...usual,
    documentation: ["https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId}"],
    authorization: "https://zoom.us/oauth/authorize",
    token: "https://zoom.us/oauth/token",
    client: "either",
    scope: () => "user:read:user",
    tokenFields: () => ({ api_url: "https://api.zoom.us" }),
    profile: {
      "GET https://api.zoom.us/v2/users/me": ({ id, firstName, lastName, name, email, verified, picture }) =>
        given({
          id,
          first_name: firstName,
          last_name: lastName,
          display_name: name,
          email,
          type: 1,
          verified: typeof verified === "string" ? verified : Number(verified),
          pic_url: picture,
          account_id: "q6gBJVO5TzexKYTb_I2rpg",
        }),
    },
    newId: () => `${hex(10)}-${hex(5)}_${hex(5)}`,
    picture: (id) => `https://zoom.us/p/v2/${id}`,
    address: "flag",
  },
  notion: {
    ...usual,
    documentation: ["https://developers.notion.com/reference/get-self"],
    pkce: false,
    authorization: "https://api.notion.com/v1/oauth/authorize",
    asks: { owner: "user" },
    token: "https://api.notion.com/v1/oauth/token",
    client: "basic",
    expiresIn: null,
    scope: () => undefined,
    tokenFields: ({ id }) => ({
      bot_id: randomUUID(),
      workspace_id: randomUUID(),
      workspace_name: "Atelier",
      owner: { type: "user", user: { object: "user", id } },
    }),
    profile: {
      "GET https://api.notion.com/v1/users/me": ({ id, name, email, picture }) => ({
        object: "user",
        id: "16d84278-ab0e-484c-9bdd-b35da3bd8905",
        name: "Atelier",
        type: "bot",
        bot: { owner: { type: "user", user: { object: "user", id, name, avatar_url: picture, type: "person", person: given({ email }) } } },
      }),
    },
    newId: () => randomUUID(),
    picture: (id) => `https://s3-us-west-2.amazonaws.com/public.notion-static.com/${id}/photo.png`,
    address: "unverified",
  },
  kakao: {
    ...usual,
    documentation: ["https://developers.kakao.com/docs/latest/en/kakaologin/rest-api"],
    pkce: false,
    authorization: "https://kauth.kakao.com/oauth/authorize",
    token: "https://kauth.kakao.com/oauth/token",
    expiresIn: 21_599,
    refreshToken: "stays",
    tokenFields: () => ({ refresh_token_expires_in: 5_183_999 }),
    profile: {
      "GET https://kapi.kakao.com/v2/user/me": ({ id, name, email, verified, picture }) => ({
        id: Number(id),
        connected_at: "2026-01-01T00:00:00Z",
        kakao_account: {
          profile_nickname_needs_agreement: false,
          profile: given({ nickname: name, profile_image_url: picture?.replace(/^https:/, "http:") ?? null, is_default_image: false }),
          has_email: true,
          email_needs_agreement: email === null,
          ...(email !== null && { is_email_valid: true, is_email_verified: verified, email }),
        },
      }),
    },
    newId: () => digits(10),
    picture: (id) => `https://k.kakaocdn.net/dn/${id}/img_640x640.png`,
    address: "flag",
    refusal: { error: "access_denied", error_description: "User denied access" },
  },
  naver: {
    ...usual,
    documentation: ["https://developers.naver.com/docs/login/profile/profile.md"],
    pkce: false,
    authorization: "https://nid.naver.com/oauth2.0/authorize",
    token: "https://nid.naver.com/oauth2.0/token",
    expiresIn: "3600",
    refreshToken: "stays",
    scope: () => undefined,
    profile: {
      "GET https://openapi.naver.com/v1/nid/me": ({ id, handle, name, email, picture }) => ({
        resultcode: "00",
        message: "success",
        response: given({ id, nickname: handle, name, email, profile_image: picture, gender: "F" }),
      }),
    },
    newId: () => hex(32),
    picture: (id) => `https://phinf.pstatic.net/contact/${id}/profile.png`,
    address: "unverified",
    refusal: { error: "access_denied", error_description: "Canceled By User" },
  },
  line: {
    ...usual,
    documentation: ["https://developers.line.biz/en/reference/line-login/"],
    authorization: "https://access.line.me/oauth2/v2.1/authorize",
    token: "https://api.line.me/oauth2/v2.1/token",
    expiresIn: 2_592_000,
    idToken: ({ id, name, email, picture }, aud) =>
      given({ iss: "https://access.line.me", aud, sub: id, amr: ["linesso"], name, picture, email }),
    profile: {},
    newId: () => `U${hex(32)}`,
    picture: (id) => `https://profile.line-scdn.net/${id}`,
    address: "unverified",
    refusal: { error: "ACCESS_DENIED", error_description: "The authorization request was denied" },
  },
  paypal: {
    ...usual,
    documentation: ["https://developer.paypal.com/docs/api/identity/v1/"],
    authorization: "https://www.sandbox.paypal.com/signin/authorize",
    token: "https://api-m.sandbox.paypal.com/v1/oauth2/token",
    client: "basic",
    expiresIn: 28_800,
    refreshToken: "stays",
    scope: () => "openid email profile",
    tokenFields: () => ({ app_id: "APP-80W284485P519543T", nonce: "2026-01-01T00:00:00Z" }),
    profile: {
      "GET https://api-m.sandbox.paypal.com/v1/identity/oauth2/userinfo": ({ id, name, email, verified }) => ({
        user_id: `https://www.paypal.com/webapps/auth/identity/user/${id}`,
        sub: `https://www.paypal.com/webapps/auth/identity/user/${id}`,
        name,
        payer_id: "WDJJHEBZ4X2LY",
        verified_account: "true",
        ...(email !== null && {
          emails: [
            { value: `other-${email}`, primary: false, confirmed: true },
            { value: email, primary: true, confirmed: verified },
          ],
        }),
      }),
    },
    newId: () => hex(40),
    picture: null,
    address: "flag",
  },
};

const TENANT = "4d8c1a0e-1f0b-4c7e-9f43-6d1d4e3f2a10";

export const accountIdOf = (id: ProviderId, person: Person): string =>
  id === "paypal" ? `https://www.paypal.com/webapps/auth/identity/user/${person.id}` : person.id;

export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWM4Y2yMFTEMLQkACspMgcuiywsAAAAASUVORK5CYII=",
  "base64",
);
