import { expect, it } from "vitest";
import { withoutQuestion, withQuestion } from "./question";

it("puts one question into a page's search, and takes it out again, beside what else stands there", () => {
  expect(withQuestion("", "rename", "a")).toBe("?rename=a");
  expect(withQuestion("?after=x&remove=b", "rename", "a")).toBe("?after=x&rename=a");
  expect(withoutQuestion("?after=x&rename=a")).toBe("?after=x");
  expect(withoutQuestion("?remove=a")).toBe("");
});
