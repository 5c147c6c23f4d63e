import { ConvexError } from "convex/values";
import { describe, expect, it } from "vitest";
import { redirectOf } from "./refusals";

describe("redirectOf", () => {
  it("follows a function to a path of our own", () => {
    expect(redirectOf(new ConvexError({ redirect: "/billing?plan=pro" }))).toBe("/billing?plan=pro");
  });
  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", 7, null])(
    "does not follow it to %j",
    (redirect) => {
      expect(redirectOf(new ConvexError({ redirect }))).toBeNull();
    },
  );
  it("sees none in other errors", () => {
    expect(redirectOf(new ConvexError({ code: "not_found" }))).toBeNull();
    expect(redirectOf(new ConvexError("/billing"))).toBeNull();
    expect(redirectOf(new Error("/billing"))).toBeNull();
  });
});
