import { describe, expect, it } from "vitest";
import { EXPORT_FORMATS, exportEvents, type ExportFormat } from "./export-events.server";

const AT = Date.parse("2026-11-26T12:00:00.000Z");
const link = { at: AT, action: "link.revoked", result: "success", actor: "user", target: { kind: "link", id: "k1" } };
const failure = {
  at: AT + 1,
  action: "signIn.failed",
  result: "failure",
  actor: "visitor",
  address: "192.0.2.0/24",
  details: { method: "password", reason: "=INVALID", settings: ["A", "B"] },
};

function exported(format: ExportFormat, events: () => AsyncIterable<Record<string, unknown>>, method = "GET") {
  const request = new Request("https://atelier.example/account/activity/export", { method });
  return exportEvents(request, { name: "account-activity", userId: crypto.randomUUID(), format, events });
}

async function* both() {
  yield link;
  yield failure;
}
async function* none() {}

describe("exportEvents", () => {
  it("exports CSV with a header, and escapes what a spreadsheet would run", async () => {
    const answer = exported("csv", both);
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Content-Disposition")).toContain("account-activity.csv");
    expect((await answer.text()).replace("\ufeff", "").split("\r\n")).toEqual([
      "at,action,category,result,actor,address,targetKind,targetId,method,provider,reason,role,count,isReset,isLast,settings,job",
      "2026-11-26T12:00:00.000Z,link.revoked,,success,user,,link,k1,,,,,,,,,",
      "2026-11-26T12:00:00.001Z,signIn.failed,,failure,visitor,192.0.2.0/24,,,password,,'=INVALID,,,,,A B,",
      "",
    ]);
  });

  it("exports a JSON array, also without events", async () => {
    expect(await exported("json", both).json()).toEqual([
      { ...link, at: "2026-11-26T12:00:00.000Z" },
      { ...failure, at: "2026-11-26T12:00:00.001Z" },
    ]);
    expect(await exported("json", none).json()).toEqual([]);
    expect((await exported("csv", none).text()).trim().split("\r\n")).toHaveLength(1);
  });

  it.each(EXPORT_FORMATS)("streams 100,000 events as %s at the reader's speed", async (format) => {
    const total = 100_000;
    let produced = 0;
    async function* many() {
      for (; produced < total; produced++) yield failure;
    }
    const reader = exported(format, many).body?.getReader();
    let lines = 0;
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
      lines += new TextDecoder().decode(chunk.value).match(/signIn\.failed/g)?.length ?? 0;
      expect(produced - lines).toBeLessThan(500);
    }
    expect(lines).toBe(total);
  });

  it("stops reading when the client disconnects, and answers HEAD without reading", async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield link;
      } finally {
        ended = true;
      }
    }
    const reader = exported("json", endless).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(ended).toBe(true);
    expect(await exported("json", () => expect.fail("was read"), "HEAD").text()).toBe("");
  });

  it("answers 429 to a fourth export at the same time", () => {
    const request = new Request("https://atelier.example/account/activity/export");
    const run = () => exportEvents(request, { name: "a", userId: "ada", format: "csv", events: both }).status;
    expect([run(), run(), run(), run()]).toEqual([200, 200, 200, 429]);
  });
});
