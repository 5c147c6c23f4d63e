import { expect, it } from "vitest";
import type { Id } from "#convex/_generated/dataModel";
import { suggestionsFor } from "./suggestions";

it("suggests tags and names that contain what is typed, each once", () => {
  const project = (name: string) => ({ _id: name as Id<"projects">, name, cover: [], description: "" });
  const found = { projects: [project("Clockwork"), project("clock"), project("Tower"), project("Clockwork")], designs: [], images: [] };
  expect(suggestionsFor("clo", found, ["Cloth", "night"])).toEqual(["Cloth", "Clockwork", "clock"]);
  expect(suggestionsFor("CLOCK ", found, [])).toEqual(["Clockwork"]);
  expect(suggestionsFor("cafe", found, ["Café", "Straßencafé"])).toEqual(["Straßencafé"]);
  expect(suggestionsFor(" ", found, ["Cloth"])).toEqual([]);
});
