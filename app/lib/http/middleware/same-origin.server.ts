import type { MiddlewareFunction } from "react-router";
import { fetchSite } from "remix-utils/sec-fetch";
import { configContext } from "../context";
import { originOf } from "../origin.server";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Some providers post callbacks from their own site; Better Auth's OAuth state protects them. */
const POSTED_FROM_ELSEWHERE = /^\/api\/auth\/callback\/[^/]+\/?$/;

/** The device's share sheet posts here without an origin. Files are stored for an hour; only our own form adds them (decision 171). */
const SHARE_TARGET = "/share";

/** Rejects cross-site requests with unsafe methods, also on resource routes, which React Router does not check. */
export const sameOrigin: MiddlewareFunction<Response> = ({ request, context, url }, next) => {
  if (SAFE_METHODS.has(request.method) || POSTED_FROM_ELSEWHERE.test(url.pathname)) return next();
  if (request.method === "POST" && url.pathname === SHARE_TARGET && isSentByDevice(request.headers)) return next();
  const config = context.get(configContext);
  const own = originOf(config, request);
  const isAuth = url.pathname.startsWith("/api/auth/");
  if (isSameOrigin(request.headers, own, isAuth ? config.trustedOrigins : [])) return next();
  throw isAuth ? refusalOf(own) : new Response("Forbidden", { status: 403 });
};

const refusalOf = (own: string) =>
  Response.json({ code: "INVALID_ORIGIN", message: `Invalid origin: expected a request from ${own}` }, { status: 403 });

/** Returns whether no page sent the request. Browsers send "none" for such a navigation, and "cross-site" for another site's form. */
function isSentByDevice(headers: Headers): boolean {
  const site = fetchSite(headers);
  const origin = headers.get("Origin");
  return site === "none" || (site === null && (origin === null || origin === "null"));
}

function isSameOrigin(headers: Headers, own: string, trusted: string[]): boolean {
  const origin = headers.get("Origin");
  if (origin !== null && origin !== own) return trusted.includes(origin);
  const site = fetchSite(headers);
  if (site !== null && site !== "same-origin") return false;
  // A request without any of these headers comes from a program, which no site controls.
  return origin === own || !headers.has("Cookie");
}
