import { describe, expect, it } from "vitest";
import { clearConvexToken, storeConvexToken, readConvexToken } from "./convex-token-cookie.server";
import { cookieNames } from "../cookies";

const names = cookieNames("https://atelier.example");

function request(setCookie: string, session?: string): Headers {
  const cookie = setCookie.split(";", 1)[0];
  return new Headers({ Cookie: session === undefined ? `${cookie}` : `${names.session}=${session}; ${cookie}` });
}

describe("the Convex token cookie", () => {
  it("is valid only for the session it was created for", () => {
    const cookie = storeConvexToken(names, "session-a.sig", "head.claims.sign");
    expect(readConvexToken(request(cookie, "session-a.sig"), names)).toBe("head.claims.sign");
    expect(readConvexToken(request(cookie, "session-b.sig"), names)).toBeNull();
    expect(readConvexToken(request(cookie), names)).toBeNull();
  });

  it("is sent only to this host over https, is HttpOnly, and expires after 15 minutes", { tags: "@this-host-over-https-alone-no" }, () => {
    expect(storeConvexToken(names, "s", "t")).toMatch(
      /^__Host-atelier\.convex_token=[\w-]{16}\.t; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900; Secure$/,
    );
    expect(storeConvexToken(cookieNames("http://localhost:3000"), "s", "t")).toMatch(/^atelier\.convex_token=.*Max-Age=900$/);
  });

  it("is deleted under the same name", () => {
    expect(clearConvexToken(names)).toBe("__Host-atelier.convex_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure");
    expect(readConvexToken(request(clearConvexToken(names), "s"), names)).toBeNull();
  });

  it("stays under the cookie limit with the longest name, address and picture", async () => {
    const { signUserToken } = await import("./tokens.server");
    const { testConfig } = await import("~/lib/http/testing");
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
    expect(storeConvexToken(names, "s", token).length).toBeLessThan(4096);
  });
});
