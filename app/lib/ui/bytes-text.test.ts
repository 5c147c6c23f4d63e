import { expect, it } from "vitest";
import { bytesText } from "./bytes-text";

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1536, "1.5 kB"],
  [999_949, "999.9 kB"],
  [1_000_000, "1 MB"],
  [50_000_000, "50 MB"],
  [52_428_800, "52.4 MB"],
  [1_000_000_000, "1 GB"],
  [12_345_678_901_234, "12,345.7 GB"],
])("shows %i bytes as %s", (bytes, text) => expect(bytesText(bytes)).toBe(text));
