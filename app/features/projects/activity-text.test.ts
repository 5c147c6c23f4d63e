import { expect, it } from "vitest";
import { type Activity, activityText } from "./activity-text";

const textFor = (entry: Omit<Partial<Activity>, "thing"> & Pick<Activity, "kind">, thing: Activity["thing"]["kind"] = "image") =>
  activityText({ _id: "x" as Activity["_id"], at: 0, actor: null, thing: { kind: thing, id: "1", name: "Fig" }, ...entry });

it("names the action, its object and its place", () => {
  const design = { id: "2", name: "Cover" };
  expect(textFor({ kind: "uploaded", design, count: 12 })).toBe("added 12 images to “Cover”");
  expect(textFor({ kind: "renamed", from: "A", to: "B" })).toBe("renamed “A” to “B”");
  expect(textFor({ kind: "moved", from: "A", to: "B" }, "design")).toBe("moved “Fig” from “A” to “B”");
  expect(textFor({ kind: "trashed", design })).toBe("moved “Fig” in “Cover” to the trash");
  expect(textFor({ kind: "created" }, "project")).toBe("created the project");
  expect(textFor({ kind: "covered", to: "Fig" }, "project")).toBe("set “Fig” as the cover of the project");
});
