import { closeSync, cpSync, openSync, readFileSync, readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkData } from "../src/check/check-data.ts";
import { startDeployment } from "../src/deployment.ts";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";

const files = anyApi["files"]!;
const messages = anyApi["messages"]!;
const folders: string[] = [];
const SMALL = "a file's content";
const LARGE = `${SMALL} ${"x".repeat(300_000)}`;

let template: string;
let engine: EngineProcess;

const client = () => new ConvexHttpClient(engine.url, { logger: false });
const send = (body: string, channel = "damage") => client().mutation(messages["send"]!, { channel, body });
const list = (): Promise<unknown[]> => client().query(messages["list"]!, { channel: "damage" });

beforeAll(async () => {
  template = temporaryFolder("damage");
  engine = await startEngine(template, ADMIN_KEY);
  folders.push(template, await pushFixture(engine, await createIssuer()));
  const uploadUrl: string = await client().mutation(files["uploadUrl"]!, {});
  for (const body of [SMALL, LARGE]) await fetch(uploadUrl, { method: "POST", body });
  await Promise.all(Array.from({ length: 200 }, (_, each) => send(`${each} ${"x".repeat(2_000)}`, "stored")));
  if ((await engine.stop()) !== 0) throw new Error(engine.errors());
});
afterAll(() => folders.forEach(removeFolder));

function copied(): string {
  const folder = temporaryFolder("damage");
  folders.push(folder);
  cpSync(template, folder, { recursive: true });
  return folder;
}

describe("a stored file with a wrong byte", () => {
  const names = { small: "", large: "" };
  beforeAll(async () => {
    const data = copied();
    for (const name of readdirSync(join(data, "files"))) {
      const path = join(data, "files", name);
      const content = readFileSync(path, "utf8");
      names[content.length > SMALL.length ? "large" : "small"] = name;
      writeFileSync(path, content.replace("content", "c0ntent"));
    }
    engine = await startEngine(data, ADMIN_KEY);
  });
  afterAll(() => engine.stop("SIGKILL"));

  const address = (size: "small" | "large") => `${engine.url}/api/storage/${names[size]}`;
  const health = async () => {
    const response = await fetch(`${engine.url}/api/health`, { headers: { Authorization: `Convex ${ADMIN_KEY}` } });
    return response.json();
  };

  it("stops writes with instructions; reads continue", async () => {
    await send("before");
    expect(await health()).toEqual({ damaged: false, fileBucket: null });
    await fetch(address("small"));
    await expect(send("after")).rejects.toThrow("The data of this deployment is damaged, so nothing is written.");
    expect(await list()).toHaveLength(1);
    expect(await health()).toEqual({ damaged: true, fileBucket: null });
    expect(engine.errors()).toMatch(
      /The data is damaged \(stored file \S+ does not match its sha256\)\. Nothing more is written\. .*npm run check-data/,
    );
  });

  it.each<["small" | "large", string, Record<string, string>]>([
    ["small", "whole", {}],
    ["small", "in part", { Range: "bytes=0-3" }],
    ["large", "in part", { Range: "bytes=0-3" }],
  ])("is not served: a %s one %s", async (size, _what, headers) => {
    const response = await fetch(address(size), { headers });
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ code: "DataDamaged" })]);
  });

  it("aborts a large file before its end", async () => {
    const response = await fetch(address("large"));
    const received: number[] = [];
    const read = async () => {
      for await (const chunk of response.body ?? []) received.push(chunk.length);
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(received.reduce((sum, length) => sum + length, 0)).toBeLessThan(LARGE.length);
  });
});

describe("ranges of a stored file that is damaged after the first one", () => {
  let address = "";
  let path = "";
  beforeAll(async () => {
    const data = copied();
    for (const name of readdirSync(join(data, "files")))
      if (statSync(join(data, "files", name)).size > SMALL.length) path = join(data, "files", name);
    engine = await startEngine(data, ADMIN_KEY);
    address = `${engine.url}/api/storage/${basename(path)}`;
    await (await part("bytes=0-3")).arrayBuffer();
    writeFileSync(path, `${LARGE.slice(0, -1)}y`);
  });
  afterAll(() => engine.stop("SIGKILL"));

  const part = (range: string) => fetch(address, { headers: { Range: range } });

  it("serve intact blocks and refuse a damaged one", async () => {
    const intact = await part("bytes=0-3");
    expect([intact.status, await intact.text()]).toEqual([206, LARGE.slice(0, 4)]);
    const damaged = await part("bytes=-1");
    expect([damaged.status, await damaged.json()]).toEqual([503, expect.objectContaining({ code: "DataDamaged" })]);
    await expect(send("after")).rejects.toThrow("nothing is written");
  });
});

describe("a start", () => {
  function damaged(statement: string): string {
    const data = copied();
    const sql = new DatabaseSync(join(data, "deployment.sqlite3"));
    sql.exec(statement);
    sql.close();
    return data;
  }

  const startError = (dataDir: string): Promise<string> =>
    startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY }).then(
      (started) => started.close().then(() => "it started"),
      (error: unknown) => String(error),
    );

  it("refuses a database with a broken page, without a stack", async () => {
    const data = copied();
    const path = join(data, "deployment.sqlite3");
    const file = openSync(path, "r+");
    const pages = statSync(path).size / 4096;
    for (let page = Math.floor(pages / 2); page < pages; page += 3) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
    closeSync(file);
    const error = await startEngine(data, ADMIN_KEY).then(
      (started) => started.stop("SIGKILL").then(() => "it started"),
      (failure: unknown) => String(failure),
    );
    expect(error).toMatch(/The data is damaged \(.*\)\. Nothing more is written\. Stop the app, run 'npm run check-data'/);
    expect(error).not.toMatch(/\n\s+at /);
  });

  it("accepts the same data without damage", async () => expect(await startError(copied())).toBe("it started"));

  it("refuses a database with an index that lacks an entry", async () => {
    expect(await startError(damaged("DELETE FROM entries"))).toMatch(/The data is damaged \(index \S+ has no entry for document/);
  });

  it("refuses a database with a document that cannot be parsed", async () => {
    const error = await startError(damaged("UPDATE documents SET json = replace(json, 'xxxx', char(1))"));
    expect(error).toMatch(/The data is damaged \(a stored document cannot be parsed\)/);
  });

  it("refuses a database whose deployed code cannot be read", async () => {
    const statement =
      "UPDATE settings SET value = replace(value, '{', char(1)) WHERE name NOT LIKE 'env/%' AND name NOT LIKE 'secret/%' AND name NOT LIKE '\\_%' ESCAPE '\\'";
    const error = await startError(damaged(statement));
    expect(error).toMatch(/The data is damaged \(the deployed code cannot be read\)/);
    expect(error).not.toContain("Bad control character");
  });

  it("refuses a database with a changed character in its code, which check-data finds", async () => {
    const data = damaged("UPDATE settings SET value = replace(value, 'VERSION', 'VERSIOM') WHERE name LIKE 'module/%'");
    expect(await startError(data)).toMatch(/The data is damaged \(the deployed code cannot be read\)/);
    const { problems } = await checkData(data);
    expect(problems).toEqual([expect.stringMatching(/^The deployed code cannot be read: .* does not match its sha256\.$/)]);
  });
});
