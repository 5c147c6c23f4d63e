import { refreshAccessToken } from "@better-auth/core/oauth2";
import { createPlaceholderEmail } from "@better-auth/core/utils/email";
import { z } from "zod";

type Options = Record<string, string>;
type Correction = (options: Options) => Record<string, unknown>;

const MICROSOFT_PICTURE_SIZE = 240;

const vkProfile = z.object({ user: z.object({ user_id: z.coerce.string(), email: z.string().nullish() }) });
const paypalProfile = z.object({
  emails: z.array(z.object({ value: z.string(), primary: z.boolean().optional(), confirmed: z.unknown().optional() })).optional(),
});
const kakaoProfile = z.object({
  kakao_account: z.object({ is_email_valid: z.unknown().optional(), is_email_verified: z.unknown().optional() }).optional(),
});
const zoomProfile = z.object({ verified: z.unknown().optional() });

const DEVICE_SEPARATOR = " ";

export const withDevice = <Tokens extends { refreshToken?: string | undefined }>(tokens: Tokens, deviceId: string | undefined): Tokens =>
  tokens.refreshToken && deviceId ? { ...tokens, refreshToken: tokens.refreshToken + DEVICE_SEPARATOR + deviceId } : tokens;

/** These providers document that client credentials are sent in the header. */
const refreshWithBasic =
  (tokenEndpoint: string): Correction =>
  (options) => ({
    refreshAccessToken: (refreshToken: string) => refreshAccessToken({ refreshToken, options, tokenEndpoint, authentication: "basic" }),
  });

/** Corrections where Better Auth deviates from a provider's documentation (docs/decisions/100-social-providers.md). */
const corrections: Record<string, Correction> = {
  google: () => ({ accessType: "offline" }),
  dropbox: () => ({ accessType: "offline" }),
  reddit: () => ({ duration: "permanent" }),
  figma: refreshWithBasic("https://api.figma.com/v1/oauth/refresh"),
  notion: refreshWithBasic("https://api.notion.com/v1/oauth/token"),
  microsoft: () => ({ profilePhotoSize: MICROSOFT_PICTURE_SIZE }),
  tiktok: () => ({ scope: ["user.info.basic"] }),
  // Without an address, Better Auth reports unable_to_get_user_info. With the placeholder, it reports email_not_found.
  vk: (options) => ({
    mapProfileToUser: (profile: unknown) => {
      const { user_id, email } = vkProfile.parse(profile).user;
      return email ? {} : { email: createPlaceholderEmail({ identifier: user_id, namespace: "vk" }) };
    },
    refreshAccessToken: async (stored: string) => {
      const [refreshToken = "", device_id = ""] = stored.split(DEVICE_SEPARATOR);
      const tokenEndpoint = "https://id.vk.com/oauth2/auth";
      return withDevice(await refreshAccessToken({ refreshToken, options, tokenEndpoint, extraParams: { device_id } }), device_id);
    },
  }),
  paypal: () => ({
    mapProfileToUser: (profile: unknown) => {
      const { emails = [] } = paypalProfile.parse(profile);
      const found = emails.find(({ primary }) => primary === true) ?? emails[0];
      return found ? { email: found.value, emailVerified: isTrue(found.confirmed) } : {};
    },
  }),
  // Better Auth treats any text as true, also "false" and "0".
  kakao: () => ({
    mapProfileToUser: (profile: unknown) => {
      const { is_email_valid, is_email_verified } = kakaoProfile.parse(profile).kakao_account ?? {};
      return { emailVerified: isTrue(is_email_valid) && isTrue(is_email_verified) };
    },
  }),
  zoom: () => ({ mapProfileToUser: (profile: unknown) => ({ emailVerified: isTrue(zoomProfile.parse(profile).verified) }) }),
};

const isTrue = (value: unknown): boolean => value === true || value === "true" || value === 1 || value === "1";

export const correctProvider = (id: string, options: Options) => ({ ...corrections[id]?.(options), ...options });
