import { ConvexError } from "convex/values";
import { describe, expect, it } from "vitest";
import { redirectOf } from "./error-responses";

describe("redirectOf", () => {
  it("returns a local path", () => {
    expect(redirectOf(new ConvexError({ redirect: "/billing?plan=pro" }))).toBe("/billing?plan=pro");
  });
  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", 7, null])(
    "rejects %j",
    { tags: "@refusals-rejects" },
    (redirect) => {
      expect(redirectOf(new ConvexError({ redirect }))).toBeNull();
    },
  );
  it("returns null for other errors", () => {
    expect(redirectOf(new ConvexError({ code: "not_found" }))).toBeNull();
    expect(redirectOf(new ConvexError("/billing"))).toBeNull();
    expect(redirectOf(new Error("/billing"))).toBeNull();
  });
});
