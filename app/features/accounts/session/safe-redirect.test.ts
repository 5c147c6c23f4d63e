import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeRedirectPath } from "./safe-redirect";

describe("safeRedirectPath", () => {
  it.each(["/projects/abc", "/design/1?x=1#top", "/search?q=a%2Fb", "/account", "/api/auth/delete-user/callback?token=a&callbackURL=%2F"])(
    "accepts %s",
    (path) => {
      expect(safeRedirectPath(path)).toBe(path);
    },
  );

  it.each([
    null,
    "",
    "projects",
    "https://evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/%09/evil.example",
    "/%2Fevil.example",
    "/%2fevil.example",
    "/%5Cevil.example",
    "/%252Fevil.example",
    "/%25255cevil.example",
    "/x//evil.example",
    "/.//evil.example",
    "/../evil.example",
    "/projects/..//evil.example",
    "javascript:alert(1)",
    "/\u0000/evil",
    " //evil.example",
    "/sign-in",
    "/sign-in?redirectTo=/sign-in",
    "/sign-out",
    "/sign-up/",
    "/api/auth/sign-out",
    "/api/auth/delete-user/callback/../../sign-out",
    42,
    ["/projects"],
  ])("rejects %j", (path) => {
    expect(safeRedirectPath(path)).toBe("/projects");
  });

  it("stays on our own origin for any input", { tags: "@stays-our-own-origin-any-input" }, () => {
    const tricky = fc.string({
      unit: fc.constantFrom("/", "\\", ".", ":", "@", "?", "#", "%", "2", "f", "F", "5", "c", "e", "\t", "\n", " ", "\u0000", "／"),
      maxLength: 12,
    });
    const hosts = fc.constantFrom("evil.example", "evil.example/x", "@evil.example", "");
    fc.assert(
      fc.property(tricky, hosts, tricky, (before, host, after) => {
        for (const wanted of [before + host + after, `/${before}${host}${after}`]) {
          const target = safeRedirectPath(wanted);
          expect(target).toMatch(/^\/(?![/\\])/);
          const readings = [target, target.split(/[?#]/, 1)[0] ?? ""].flatMap((path) => [path, decodeSafely(path)]);
          for (const path of readings) expect(new URL(path, "https://atelier.example").origin).toBe("https://atelier.example");
        }
      }),
      { numRuns: 5000 },
    );
  });
});

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
