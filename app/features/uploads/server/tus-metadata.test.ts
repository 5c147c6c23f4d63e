import { assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { formatMetadata, parseMetadata } from "./tus-metadata.server";

it("reads what it writes for any file name", () => {
  assert(
    property(string({ unit: "grapheme" }), string(), (filename, design) => {
      expect(parseMetadata(formatMetadata({ filename, design }))).toEqual(new Map(Object.entries({ filename, design })));
    }),
  );
});

it("reads a key without a value, and a missing header", () => {
  expect(parseMetadata("anyway,filename ZmlnLmpwZw==")).toEqual(new Map(Object.entries({ anyway: "", filename: "fig.jpg" })));
  expect(parseMetadata(null)).toEqual(new Map());
});

it.each(["filename %%%", "filename YQ== YQ==", "a YQ==,a YQ==", "a /w==", ",a YQ=="])("rejects %s", (header) => {
  expect(parseMetadata(header)).toBeNull();
});

it("never throws for any header", () => {
  assert(
    property(string(), (header) => {
      const read = parseMetadata(header);
      expect(read === null || read instanceof Map).toBe(true);
    }),
  );
});
