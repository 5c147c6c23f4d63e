import { expect, it } from "vitest";
import { withoutOpenDialog, withOpenDialog } from "./open-dialog-param";

it("opens and closes one dialog by a page's search parameters", () => {
  expect(withOpenDialog("", "rename", "a")).toBe("?rename=a");
  expect(withOpenDialog("?after=x&purge=b", "rename", "a")).toBe("?after=x&rename=a");
  expect(withoutOpenDialog("?after=x&rename=a")).toBe("?after=x");
  expect(withoutOpenDialog("?purge=a")).toBe("");
});
