import { expect, it } from "vitest";
import type { Upload } from "../upload";
import { stateText } from "./upload-text";

it("shows progress, speed and remaining time", () => {
  const upload: Upload = {
    designId: "d",
    designName: "Cover",
    id: "1",
    name: "a.png",
    size: 4_000_000,
    state: "sending",
    sent: 1_000_000,
    speed: 500_000,
    problem: null,
    canRetry: false,
    imageId: null,
    duplicateOf: null,
    isResumed: false,
  };
  expect(stateText(upload)).toBe("25% of 4 MB, 500 kB/s, 6 s left");
  expect(stateText({ ...upload, speed: null })).toBe("25% of 4 MB");
  expect(stateText({ ...upload, state: "paused" })).toBe("Paused at 25% of 4 MB");
});
