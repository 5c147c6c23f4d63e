import { describe, expect, it } from "vitest";
import { keepLayouts } from "./keep-layouts";

const failed = { type: "error" as const, result: new TypeError("Failed to fetch") };
const loaded = (result: unknown) => ({ type: "data" as const, result });

describe("keepLayouts", () => {
  it("keeps the layouts' data when the request fails", () => {
    const results = { root: failed, "routes/shell": failed, "routes/project": failed };
    expect(keepLayouts(results, { root: "who", "routes/shell": "projects", "routes/project": "old" })).toEqual({
      root: loaded("who"),
      "routes/shell": loaded("projects"),
      "routes/project": failed,
    });
  });

  it("keeps the error of a layout that was never loaded", () => {
    expect(keepLayouts({ "routes/shell": failed }, { root: "who" })).toEqual({ "routes/shell": failed });
  });

  it("keeps redirects and loaded data", () => {
    const redirect = { type: "error" as const, result: Response.redirect("https://atelier.example/sign-in") };
    const results = { root: redirect, "routes/shell": loaded("new") };
    expect(keepLayouts(results, { root: "who", "routes/shell": "old" })).toEqual(results);
  });
});
