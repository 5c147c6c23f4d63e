import { ConvexError } from "convex/values";
import { describe, expect, it } from "vitest";
import { conflict, invalid, notFound, unauthenticated } from "#convex/model/errors";
import { rejectedForm } from "./form-result";

const values = { id: "7", name: "   " };

describe("rejectedForm", () => {
  it("returns messages by field, with the form's name and the entered values", () => {
    expect(rejectedForm(invalid({ name: ["Give it a name."] }), "f1", values)).toEqual({
      form: "f1",
      result: { status: "error", initialValue: values, error: { name: ["Give it a name."] } },
    });
  });
  it("shows messages about unknown fields above the form", () => {
    const answer = rejectedForm(invalid({ size: ["Too large."], kind: ["Not that."], name: ["No."] }), "f1", values);
    expect(answer?.result.error).toEqual({ name: ["No."], "": ["Too large.", "Not that."] });
  });
  it("shows messages about the whole form above it", () => {
    expect(rejectedForm(conflict("Somebody was faster."), "f1", values)?.result.error).toEqual({ "": ["Somebody was faster."] });
    expect(rejectedForm(notFound(), "f1", values)?.result.error?.[""]).toHaveLength(1);
    expect(rejectedForm(new ConvexError({ code: "limit" }), "f1", values)?.result.error?.[""]).toHaveLength(1);
  });
  it("explains a full disk of the deployment, reported over the websocket", () => {
    const error = new Error(
      "[CONVEX M(projects:create)] [Request ID: 1] Server Error\nInsufficientStorage: The deployment's disk is full.",
    );
    expect(rejectedForm(error, "f1", values)?.result.error).toEqual({ "": [expect.stringContaining("disk is full")] });
  });
  it("returns null for a fault and for an ended session", () => {
    expect(rejectedForm(new Error("broken"), "f1", values)).toBeNull();
    expect(rejectedForm(unauthenticated(), "f1", values)).toBeNull();
    expect(rejectedForm(new ConvexError({ redirect: "/" }), "f1", values)).toBeNull();
  });
});
