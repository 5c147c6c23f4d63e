import { expect, it } from "vitest";
import { createPlaces, TooMany } from "./places.server";

it("holds as many jobs of a person as there are places, and gives a place free when its job ends, badly too", async () => {
  const places = createPlaces(2);
  const ends = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const jobs = ends.map(({ promise }) => places.hold("ada", () => promise));
  await expect(places.hold("ada", () => Promise.resolve(1))).rejects.toThrow(TooMany);
  expect(await places.hold("eve", () => Promise.resolve(2))).toBe(2);
  ends[0]?.reject(new Error("broken off"));
  await expect(jobs[0]).rejects.toThrow("broken off");
  expect(await places.hold("ada", () => Promise.resolve(3))).toBe(3);
  ends[1]?.resolve(undefined);
  await jobs[1];
});
