import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const FOLDER = new URL("../docs/decisions/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const RECORD = /^# (\d{3}): (.+)\n\nDate: (\d{4}-\d{2}-\d{2}) · Status: (accepted|replaced by \d{3})/;

it("lists every decision in the index with its title, date and status", () => {
  const rows = read("index.md")
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const names = readdirSync(FOLDER).filter((name) => name !== "index.md");
  const records = names.map((name) => {
    const [, number, title = "", date, status] = RECORD.exec(read(name)) ?? [];
    return [number, `[${title}](${name})`, date, status];
  });
  expect(rows).toEqual(records);
});
