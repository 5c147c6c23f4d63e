import { describe, expect, it } from "vitest";
import { forgetConvexToken, keepConvexToken, readConvexToken } from "./convex-token-cookie.server";
import { cookieNames } from "./cookies";

const names = cookieNames("https://atelier.example");

/** A browser's request after it was told `setCookie`, holding the session cookie `session`. */
function request(setCookie: string, session?: string): Headers {
  const kept = setCookie.split(";", 1)[0];
  return new Headers({ Cookie: session === undefined ? `${kept}` : `${names.session}=${session}; ${kept}` });
}

describe("the token's cookie", () => {
  it("belongs to the session that it was made from", () => {
    const cookie = keepConvexToken(names, "session-a.sig", "head.claims.sign");
    expect(readConvexToken(request(cookie, "session-a.sig"), names)).toBe("head.claims.sign");
    expect(readConvexToken(request(cookie, "session-b.sig"), names)).toBeNull();
    expect(readConvexToken(request(cookie), names)).toBeNull();
  });

  it("is for this host over https alone, for no script, and for 15 minutes", () => {
    expect(keepConvexToken(names, "s", "t")).toMatch(
      /^__Host-atelier\.convex_token=[\w-]{16}\.t; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900; Secure$/,
    );
    expect(keepConvexToken(cookieNames("http://localhost:3000"), "s", "t")).toMatch(/^atelier\.convex_token=.*Max-Age=900$/);
  });

  it("is removed by its name", () => {
    expect(forgetConvexToken(names)).toBe("__Host-atelier.convex_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure");
    expect(readConvexToken(request(forgetConvexToken(names), "s"), names)).toBeNull();
  });

  it("fits into a cookie with the longest name, address and picture that are kept", async () => {
    const { signUserToken } = await import("./tokens.server");
    const { testConfig } = await import("~/http/testing");
    const user = {
      id: "u".repeat(32),
      name: "ż".repeat(200),
      email: `${"e".repeat(200)}@example.com`,
      emailVerified: true,
      image: `https://${"i".repeat(992)}`,
    };
    const token = await signUserToken(
      testConfig.signingKey,
      { userId: user.id, sessionId: "s".repeat(32), user },
      new Date(Date.now() + 1e9),
    );
    expect(keepConvexToken(names, "s", token).length).toBeLessThan(4096);
  });
});
