import type { RouterContextProvider } from "react-router";
import { renewVisitor } from "../session.server";

/** Answers with a new token. Only 401 means signed out; an unreadable session is a 503. */
export async function convexTokenResponse(context: Readonly<RouterContextProvider>): Promise<Response> {
  const visitor = await renewVisitor(context);
  const headers = { "Cache-Control": "no-store" };
  return visitor
    ? Response.json({ token: visitor.convexToken }, { headers })
    : Response.json({ code: "UNAUTHORIZED", message: "Unauthorized" }, { status: 401, headers });
}
