"use node";

import { parse } from "csv-parse/sync";
import { fromBuffer } from "yauzl";
import { actionGeneric as action } from "convex/server";
import { v } from "convex/values";

export const rows = action({
  args: { text: v.string() },
  handler: async (_ctx, { text }): Promise<string[][]> => parse(text),
});

/** yauzl is bundled, and requires Node's modules. */
export const entries = action({
  args: { archive: v.bytes() },
  handler: async (_ctx, { archive }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    fromBuffer(Buffer.from(archive), { lazyEntries: false }, (error, file) => {
      if (error) return reject(error);
      const names: string[] = [];
      file.on("entry", ({ fileName }: { fileName: string }) => names.push(fileName));
      file.on("end", () => resolve(names));
    });
    return promise;
  },
});

export const fails = action({
  args: {},
  handler: async () => {
    throw new Error("as expected");
  },
});
