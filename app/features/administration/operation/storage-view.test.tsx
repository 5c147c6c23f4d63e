import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { ServerStorage } from "./read-storage.server";
import { StorageSummary } from "./storage-view";

const fileBucket = {
  location: "s3://bucket/files",
  movesBack: false,
  waitingFiles: 3,
  cachedFiles: 2,
  cachedBytes: 1_000_000,
  cacheLimitBytes: 5_000_000_000,
  problem: null as string | null,
};
const textOf = (storage: Partial<ServerStorage>): string =>
  renderToStaticMarkup(
    <StorageSummary storage={{ disk: null, fileBucket: null, cacheBytes: 0, partialUploads: 0, ...storage }} />,
  ).replaceAll(/<[^>]+>/g, " ");

it("shows the bucket of the images, its copies and its problem", () => {
  const text = textOf({ fileBucket: { ...fileBucket, problem: "it is full" } });
  for (const part of ["s3://bucket/files", "3 files", "2 files, 1", "it is full"]) expect(text).toContain(part);
  expect(textOf({ fileBucket: { ...fileBucket, movesBack: true } })).toContain("Files to move back");
});

it("names no bucket when all files are on the disk", () => {
  expect(textOf({})).not.toMatch(/bucket/i);
});
