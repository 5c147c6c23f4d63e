import { expect, it } from "vitest";
import { bulkText } from "./bulk-text";

it("describes running, finished, stopped and undone jobs", () => {
  const job = { kind: "image", action: "trash", state: "running", phase: "do", done: 300, total: 10_000 } as const;
  expect(bulkText(job)).toBe("Moving 10,000 images to the trash…");
  expect(bulkText({ ...job, state: "done", done: 10_000 })).toBe("10,000 images moved to the trash");
  expect(bulkText({ ...job, state: "cancelled" })).toBe("Moving 10,000 images to the trash: stopped after 300 images");
  expect(bulkText({ ...job, phase: "undo", kind: "design", total: 1, done: 1, state: "done" })).toBe("Undo: 1 design moved to the trash");
});
