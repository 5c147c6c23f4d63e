import { expect, it } from "vitest";
import { describeEvaluation } from "./evaluate-schema.ts";

const index = { name: "designs.by_review", type: "database", fields: ["projectId", "removedAt"], needsBackfill: false, numDocs: 0 };

it("describes changed indexes and tables with their costs", () => {
  const described = describeEvaluation({
    indexes: [
      { ...index, change: "added", needsBackfill: true, numDocs: 120_000 },
      { ...index, name: "designs.by_old", change: "dropped", numDocs: 1 },
      { ...index, name: "designs.by_name", change: "identical" },
      { name: "projects.words", type: "search", change: "enabled", needsBackfill: false, numDocs: 1 },
    ],
    tables: [
      { name: "designs", outcome: "mustWalk", numDocs: 1, sizeBytes: 12_300_000 },
      { name: "projects", outcome: "supersetOfEnforced", numDocs: 5, sizeBytes: 5 },
    ],
  });
  expect(described.split("\n")).toEqual([
    "Indexes that would change:",
    "  + designs.by_review (projectId, removedAt) is built from 120,000 documents",
    "  - designs.by_old (projectId, removedAt) is deleted",
    "  * projects.words (search) is enabled",
    "Tables whose documents would be validated:",
    "  designs: 1 document, 12.3 MB",
  ]);
});

it("reports that nothing changes", () => {
  expect(describeEvaluation({ indexes: [{ ...index, change: "identical" }], tables: [] })).toContain("changes no index");
});
