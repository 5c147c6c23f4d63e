import { createHmac, timingSafeEqual } from "node:crypto";
import { generateRandomString } from "better-auth/crypto";
import { href } from "react-router";
import type { AppConfig } from "~/config";
import { readCookie } from "~/features/accounts/session/cookies";
import { originOf } from "~/lib/http/origin.server";
import type { OpenedLink } from "../open-link.server";

export type LinkGuest = { id: string; name: string };

const LIFETIME_SECONDS = 30 * 24 * 60 * 60;

/** Returns an id with 131 random bits, so that the ids of other guests cannot be guessed. */
export const newGuestId = (): string => `guest-${generateRandomString(22, "a-z", "A-Z", "0-9")}`;

export function guestOf(config: AppConfig, request: Request, link: Pick<OpenedLink, "linkId">): LinkGuest | null {
  const [payload = "", sent = ""] = readCookie(request.headers, cookieName(config, request))?.split(".") ?? [];
  const expected = signature(config, link, payload);
  const given = Buffer.from(sent, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [id = "", ...name] = Buffer.from(payload, "base64url").toString().split(" ");
  return { id, name: name.join(" ") };
}

/** Returns two cookies, because React Router requests the data of the link's own page at the second path. */
export function guestCookies(config: AppConfig, request: Request, link: Pick<OpenedLink, "linkId" | "token">, guest: LinkGuest): string[] {
  const payload = Buffer.from(`${guest.id} ${guest.name}`).toString("base64url");
  const name = cookieName(config, request);
  const secure = name.startsWith("__Secure-") ? "; Secure" : "";
  const value = `${payload}.${signature(config, link, payload).toString("base64url")}`;
  const path = href("/s/:token", { token: link.token });
  return [path, `${path}.data`].map(
    (each) => `${name}=${value}; Path=${each}; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${secure}`,
  );
}

const cookieName = (config: AppConfig, request: Request): string =>
  `${originOf(config, request).startsWith("https:") ? "__Secure-" : ""}atelier.guest`;

const signature = ({ secret }: AppConfig, { linkId }: Pick<OpenedLink, "linkId">, payload: string): Buffer =>
  createHmac("sha256", secret).update(`link guest ${linkId} ${payload}`).digest();
