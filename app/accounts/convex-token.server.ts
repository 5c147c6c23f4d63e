import type { RouterContextProvider } from "react-router";
import { renewVisitor } from "./session.server";

/** A fresh token for the visitor's browser. 401 means signed out, and nothing else does: a session that cannot be read is a 503. */
export async function convexTokenAnswer(context: Readonly<RouterContextProvider>): Promise<Response> {
  const who = await renewVisitor(context);
  const headers = { "Cache-Control": "no-store" };
  return who
    ? Response.json({ token: who.convexToken }, { headers })
    : Response.json({ code: "UNAUTHORIZED", message: "Unauthorized" }, { status: 401, headers });
}
