import { expect, it, vi } from "vitest";
import { animatedGif, phonePhotograph } from "../../../../tests/fixtures/pictures";
import type { isolatedToPng } from "./processes/decode-isolated.server";
import type { limitLargeDecoding } from "./decoder.server";
import { makeVariant } from "./make-variant.server";
import { rotateFile } from "./rotate-file.server";

const onDecode = vi.hoisted(() => vi.fn<(event: unknown) => void>());
vi.mock("./decoder.server", async (importOriginal) => {
  const original = await importOriginal<{ limitLargeDecoding: typeof limitLargeDecoding }>();
  const limit: typeof limitLargeDecoding = async (pixels, job) => {
    onDecode(pixels);
    const result = await original.limitLargeDecoding(pixels, job);
    onDecode("end");
    return result;
  };
  return { ...original, limitLargeDecoding: limit };
});
vi.mock("./processes/decode-isolated.server", async (importOriginal) => {
  const original = await importOriginal<{ isolatedToPng: typeof isolatedToPng }>();
  const decode: typeof isolatedToPng = (...request) => {
    onDecode("decoded");
    return original.isolatedToPng(...request);
  };
  return { ...original, isolatedToPng: decode };
});

it("counts the pixels of all frames that are in memory at once", async () => {
  const { buffer: bytes } = await animatedGif();
  const gif = { bytes, contentType: "image/gif", width: 240, height: 160 };
  await rotateFile(bytes, "image/gif", 90);
  await makeVariant(gif, { width: 160, targetFormat: "webp", rotation: 180 });
  await makeVariant(gif, { width: 160, targetFormat: "webp", rotation: 180, still: true });
  await makeVariant(gif, { width: 160, targetFormat: "webp" });
  const frame = 240 * 160;
  expect(onDecode.mock.calls.flat().filter((each) => each !== "end")).toEqual([3 * frame, 3 * frame, frame, frame]);
});

it("decodes a HEIC within the limit", async () => {
  onDecode.mockClear();
  const { buffer } = await phonePhotograph();
  const mirrored = Buffer.concat([buffer, Buffer.from("\0\0\0\x0cfreeimir", "latin1")]);
  expect((await rotateFile(mirrored, "image/heic", 90)).type).toBe("image/jpeg");
  expect(onDecode.mock.calls.flat()).toEqual([64 * 96, "decoded", "end"]);
});
