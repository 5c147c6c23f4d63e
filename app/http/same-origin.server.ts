import type { MiddlewareFunction } from "react-router";
import { fetchSite } from "remix-utils/sec-fetch";
import { configContext } from "./context";
import { originOf } from "./origin.server";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Some providers post the end of a sign-in to us from their own site; Better Auth's OAuth state guards these addresses. */
const POSTED_FROM_ELSEWHERE = /^\/api\/auth\/callback\/[^/]+\/?$/;

/**
 * Refuses (403) what another site makes a visitor's browser send, on every unsafe method of every route, resource routes included, which
 * React Router's own check leaves out. A request without cookie, Origin and Fetch-Metadata comes from a program, which no site can steer.
 */
export const sameOrigin: MiddlewareFunction<Response> = ({ request, context, url }, next) => {
  if (SAFE_METHODS.has(request.method) || POSTED_FROM_ELSEWHERE.test(url.pathname)) return next();
  const config = context.get(configContext);
  const own = originOf(config, request);
  const isAuth = url.pathname.startsWith("/api/auth/");
  if (isOurs(request.headers, own, isAuth ? config.trustedOrigins : [])) return next();
  throw isAuth ? refusalOf(own) : new Response("Forbidden", { status: 403 });
};

/** In the form of all that the auth API refuses, with Better Auth's own code for it. */
const refusalOf = (own: string) =>
  Response.json({ code: "INVALID_ORIGIN", message: `Invalid origin: expected a request of ${own} itself` }, { status: 403 });

function isOurs(headers: Headers, own: string, trusted: string[]): boolean {
  const origin = headers.get("Origin");
  if (origin !== null && origin !== own) return trusted.includes(origin);
  // Sites of one domain are not one site to us: "same-site" is as foreign as "cross-site".
  const site = fetchSite(headers);
  if (site !== null && site !== "same-origin") return false;
  return origin === own || !headers.has("Cookie");
}
