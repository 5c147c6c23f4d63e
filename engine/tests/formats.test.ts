import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkData } from "../src/check/check-data.ts";
import { FORMAT, readStoredFormat } from "../src/storage/file.ts";
import { openDatabase } from "../src/transaction/database.ts";
import { startDeployment } from "../src/deployment.ts";
import { ADMIN_KEY, removeFolder, temporaryFolder } from "./harness.ts";
import { readContents, unpackRecord } from "./recorded-formats.ts";

const RECORDS = join(import.meta.dirname, "formats");
const names = readdirSync(RECORDS);
const formatOf = (name: string): number => Number.parseInt(name, 10);

let data = "";
afterEach(() => removeFolder(data));

describe("recorded formats", () => {
  it("have data of each format", { tags: "@formats-recorded" }, () => {
    const formats = Array.from({ length: FORMAT }, (_, each) => each + 1);
    expect([...new Set(names.map(formatOf))].toSorted((a, b) => a - b)).toEqual(formats);
  });

  it.each(names)("open with the same documents, indexes and files: %s", { tags: "@formats-open" }, async (name) => {
    data = temporaryFolder("format");
    const { contents, session, answer } = unpackRecord(readFileSync(join(RECORDS, name)), data);
    expect(await readStoredFormat(data)).toBe(formatOf(name));

    const deployment = await startDeployment({ dataDir: data, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
    try {
      expect(await readContents(deployment.url)).toEqual(contents);
    } finally {
      await deployment.close();
    }
    expect(await readStoredFormat(data)).toBe(FORMAT);

    const database = openDatabase(data);
    try {
      expect(database.recorded(session, 0)?.result).toBe(answer);
    } finally {
      database.close();
    }
    expect(await checkData(data)).toMatchObject({ problems: [] });
  });
});
