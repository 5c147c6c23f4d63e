import { ConvexError } from "convex/values";
import { describe, expect, it } from "vitest";
import { conflict, invalid, notFound, unauthenticated } from "#convex/errors";
import { refused } from "./answer";

const values = { id: "7", name: "   " };

describe("refused", () => {
  it("puts messages beside their fields, under the form's name, with what was typed", () => {
    expect(refused(invalid({ name: ["Give it a name."] }), "f1", values)).toEqual({
      form: "f1",
      result: { status: "error", initialValue: values, error: { name: ["Give it a name."] } },
    });
  });
  it("loses no message about what is no field of the form: it stands over it", () => {
    const answer = refused(invalid({ size: ["Too large."], kind: ["Not that."], name: ["No."] }), "f1", values);
    expect(answer?.result.error).toEqual({ name: ["No."], "": ["Too large.", "Not that."] });
  });
  it("tells what concerns the whole form over it", () => {
    expect(refused(conflict("Somebody was faster."), "f1", values)?.result.error).toEqual({ "": ["Somebody was faster."] });
    expect(refused(notFound(), "f1", values)?.result.error?.[""]).toHaveLength(1);
    expect(refused(new ConvexError({ code: "limit" }), "f1", values)?.result.error?.[""]).toHaveLength(1);
  });
  it("is no answer to a fault, nor to a session that has ended", () => {
    expect(refused(new Error("broken"), "f1", values)).toBeNull();
    expect(refused(unauthenticated(), "f1", values)).toBeNull();
    expect(refused(new ConvexError({ redirect: "/" }), "f1", values)).toBeNull();
  });
});
