import { expect, it } from "vitest";
import { type Activity, activityText } from "./activity-text";

const textFor = (entry: Omit<Partial<Activity>, "thing"> & Pick<Activity, "kind">, thing: Activity["thing"]["kind"] = "image") =>
  activityText({ _id: "x" as Activity["_id"], at: 0, actor: null, thing: { kind: thing, id: "1", name: "Fig" }, ...entry });

it("names the action, its object and its location", () => {
  const design = { id: "2", name: "Cover" };
  expect(textFor({ kind: "uploaded", design, count: 12 })).toBe("added 12 images to “Cover”");
  expect(textFor({ kind: "renamed", from: "A", to: "B" })).toBe("renamed “A” to “B”");
  expect(textFor({ kind: "moved", from: "A", to: "B" }, "design")).toBe("moved “Fig” from “A” to “B”");
  expect(textFor({ kind: "trashed", design })).toBe("moved “Fig” in “Cover” to the trash");
  expect(textFor({ kind: "created" }, "project")).toBe("created the project");
  expect(textFor({ kind: "covered", to: "Fig" }, "project")).toBe("set “Fig” as the cover of the project");
  expect(textFor({ kind: "tagged", to: "Approved", review: { from: "none", to: "approved" }, design })).toBe("approved “Fig” in “Cover”");
  expect(textFor({ kind: "tagged", to: "In review", review: { to: "inReview" }, design })).toBe(
    "set the review status of “Fig” in “Cover” to “In review”",
  );
  expect(textFor({ kind: "moved", from: "ada", to: "eve", transfer: { from: "ada", to: "eve" } }, "project")).toBe(
    "accepted the transfer of the project from ada",
  );
  expect(textFor({ kind: "tagged", from: "Approved", review: { to: "none" }, count: 3 })).toBe("removed the review status of 3 images");
  expect(textFor({ kind: "tagged", to: "Comment", discussion: "commented", design, count: 3 })).toBe(
    "wrote 3 comments on “Fig” in “Cover”",
  );
  expect(textFor({ kind: "tagged", to: "Comment resolved", discussion: "resolved" }, "design")).toBe("resolved a thread on “Fig”");
});

it("names no permanently deleted items", () => {
  const deleted = { id: "", name: "" };
  const textOf = (entry: Omit<Partial<Activity>, "thing"> & Pick<Activity, "kind">, kind: Activity["thing"]["kind"] = "image") =>
    activityText({ _id: "x" as Activity["_id"], at: 0, actor: null, thing: { kind, ...deleted }, ...entry });
  expect(textOf({ kind: "purged", design: { id: "2", name: "Cover" } })).toBe("deleted an image in “Cover” permanently");
  expect(textOf({ kind: "uploaded", design: deleted })).toBe("added a deleted image to a deleted design");
  expect(textOf({ kind: "renamed" }, "design")).toBe("renamed a deleted design");
  expect(textFor({ kind: "moved", from: "", to: "" })).toBe("moved “Fig” from a deleted design to a deleted design");
  expect(textFor({ kind: "covered", to: "" }, "project")).toBe("set a deleted image as the cover of the project");
});
