import { expect, it } from "vitest";
import { type Activity, wordsFor } from "./activity-words";

const said = (entry: Omit<Partial<Activity>, "thing"> & Pick<Activity, "kind">, thing: Activity["thing"]["kind"] = "image") =>
  wordsFor({ _id: "x" as Activity["_id"], at: 0, actor: null, thing: { kind: thing, id: "1", name: "Fig" }, ...entry });

it("says what was done, to what and where", () => {
  const design = { id: "2", name: "Cover" };
  expect(said({ kind: "uploaded", design, count: 12 })).toBe("added 12 images to “Cover”");
  expect(said({ kind: "renamed", from: "A", to: "B" })).toBe("renamed “A” to “B”");
  expect(said({ kind: "moved", from: "A", to: "B" }, "design")).toBe("moved “Fig” from “A” to “B”");
  expect(said({ kind: "trashed", design })).toBe("moved “Fig” in “Cover” to the trash");
  expect(said({ kind: "created" }, "project")).toBe("created the project");
  expect(said({ kind: "covered", to: "Fig" }, "project")).toBe("made “Fig” the cover of the project");
});
