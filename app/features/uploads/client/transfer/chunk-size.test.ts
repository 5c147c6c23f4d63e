import { describe, expect, it } from "vitest";
import { createChunkSize } from "./chunk-size";

const MIB = 1024 * 1024;

describe("chunk size", () => {
  it("halves on 413 and 408 down to 512 KiB", () => {
    for (const status of [413, 408]) {
      const chunks = createChunkSize();
      const tried = [chunks.bytes()];
      while (chunks.shrink(status, chunks.bytes())) tried.push(chunks.bytes());
      expect(tried).toEqual([8, 4, 2, 1, 0.5].map((each) => each * MIB));
    }
  });

  it("shrinks below the size of a rejected request smaller than a chunk", () => {
    const chunks = createChunkSize();
    expect(chunks.shrink(413, 1.2 * MIB)).toBe(true);
    expect([chunks.bytes(), chunks.rejected()]).toEqual([MIB, 1.2 * MIB]);
  });

  it("shrinks once for chunks of several files that were rejected together", () => {
    const chunks = createChunkSize();
    for (let file = 0; file < 4; file++) expect(chunks.shrink(413, 8 * MIB)).toBe(true);
    expect(chunks.bytes()).toBe(4 * MIB);
  });

  it("grows again after a 408 only while chunks are fast", () => {
    const chunks = createChunkSize();
    chunks.shrink(408, 8 * MIB);
    chunks.shrink(408, 4 * MIB);
    chunks.accepted(2 * MIB, 30_000);
    chunks.accepted(MIB, 10);
    expect(chunks.bytes()).toBe(2 * MIB);
    for (let chunk = 0; chunk < 4; chunk++) chunks.accepted(chunks.bytes(), 900);
    expect(chunks.bytes()).toBe(8 * MIB);
  });

  it("does not grow back to a size that was rejected as too large", () => {
    const chunks = createChunkSize();
    for (const bytes of [8, 4, 2]) chunks.shrink(413, bytes * MIB);
    chunks.shrink(408, MIB);
    for (let chunk = 0; chunk < 4; chunk++) chunks.accepted(chunks.bytes(), 10);
    expect(chunks.bytes()).toBe(MIB);
  });

  it("starts within the size that the server reports", () => {
    const chunks = createChunkSize();
    chunks.limitTo(1.5 * MIB);
    chunks.accepted(MIB, 10);
    expect([chunks.bytes(), chunks.rejected()]).toEqual([MIB, null]);
    chunks.limitTo(1000);
    expect(chunks.bytes()).toBe(MIB / 2);
    chunks.limitTo(null);
    chunks.accepted(MIB / 2, 10);
    expect(chunks.bytes()).toBe(MIB);
  });
});
