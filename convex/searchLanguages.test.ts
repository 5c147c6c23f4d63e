import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const FOUND_BY: [name: string, texts: string[]][] = [
  ["Café Crème", ["café", "CAFÉ", "cafe\u0301", "cafe", "caf", "crème", "creme", "cre"]],
  ["ÑANDÚ résumé", ["ñandú", "nandu", "NANDU", "résumé", "resume"]],
  ["naïve façade", ["naïve", "naive", "façade", "facade"]],
  ["Größe und Straße", ["größe", "GRÖSSE", "grosse", "strasse", "STRASSE", "straße", "STRAẞE"]],
  ["İstanbul İçin", ["istanbul", "İstanbul", "ISTANBUL", "icin", "için"]],
  ["Ωμέγα Σχέδιο", ["ωμέγα", "ωμεγα", "ΩΜΕΓΑ", "σχέδιο", "σχεδιο"]],
  ["οδός", ["ΟΔΟΣ", "οδοσ", "οδος"]],
  ["新しいデザイン案", ["新", "新し", "ザ nothing", "デザイン", "ﾃﾞｻﾞｲﾝ", "案"]],
  ["首页设计稿", ["首", "首页", "设计", "设", "稿", "设 nothing", "页 nothing else"]],
  ["홈페이지 디자인", ["홈", "홈페이지", "페이지", "자인", "페 nothing"]],
  ["ไทยดีไซน์", ["ไ", "ไทย", "ดีไซน์", "ดี"]],
  ["تصميم الصفحة", ["تصميم", "صفحة", "الصفحة", "صفح", "تَصميم"]],
  ["iPhone15ProMax", ["iphone", "iphone15", "15", "promax", "pro", "max", "iPhone15ProMax"]],
  ["O’Brien’s logo", ["o'brien", "o’brien", "obrien", "obriens", "brien"]],
  ["e-mail template", ["e-mail", "email", "mail", "e‑mail"]],
  ["🎨 Palette", ["palette", "🎨", "🎨 nothing"]],
  ["हिन्दी पृष्ठ", ["हिन्दी", "हिन", "पृष्ठ"]],
  ["Эскиз ёлки", ["ёлки", "елки", "ЭСКИЗ"]],
  ["می‌خواهم", ["میخواهم", "مي‌خواهم", "خواهم"]],
  ["Łódź Ørsted", ["lodz", "łódź", "orsted"]],
];

const NOT_FOUND_BY: [name: string, texts: string[]][] = [
  ["新しいデザイン案", ["インデザ", "新案"]],
  ["ไทยดีไซน์", ["ดาไซน์"]],
  ["हिन्दी पृष्ठ", ["हनद"]],
  ["iPhone15ProMax", ["promax16", "16"]],
];

describe.each(backends)("search in any language on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
    for (const [name] of FOUND_BY) await ada.mutation(api.projects.create, { name });
  });
  afterAll(() => backend.close());

  const find = async (text: string) => (await ada.query(api.search.find, { text })).projects.map(({ name }) => name);
  const misses = async () => {
    const missed: string[] = [];
    for (const [name, texts] of FOUND_BY)
      for (const text of [...texts, name]) if (!(await find(text)).includes(name.normalize("NFC"))) missed.push(`${name}: ${text}`);
    return missed;
  };
  const deleteUpgrades = async () => {
    for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades" }))
      await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });
  };

  it("finds names by any spelling, during and after the upgrade", async () => {
    await deleteUpgrades();
    expect(await misses()).toEqual([]);
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    expect(await misses()).toEqual([]);
    for (const [name, texts] of NOT_FOUND_BY) for (const text of texts) expect(await find(text), text).not.toContain(name);
  });

  it("before the upgrade, finds rows of an earlier build like that build", async () => {
    await deleteUpgrades();
    const stored = new Map<string, unknown>();
    for (const [name, text] of [
      ["Bébé-Crème", "bébé"],
      ["Schöne Straße", "straße"],
      ["Моск нд", "моск"],
      ["首班车", "首班"],
      ["Neil’s café", "neil"],
    ] as const) {
      const id: Id<"projects"> = await ada.mutation(api.projects.create, { name });
      await backend.inside.mutation(probe.patch, { table: "projects", id, fields: { words: name } });
      stored.set(id, name);
      expect(await find(text), text).toContain(name);
    }
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    for (const id of stored.keys()) {
      const row = await backend.inside.query(probe.row, { table: "projects", id });
      expect(row?.["words"]).not.toBe(stored.get(id));
    }
    expect(await find("bebe")).toContain("Bébé-Crème");
    expect(await find("班车")).toContain("首班车");
  });

  it("finds infixes and typing errors where nothing matches exactly", { tags: "@finds-infixes-typing-errors" }, async () => {
    const eve = await signUp(backend, "eve");
    for (const name of ["Dandelions", "Grönland", "Mountains", "Fountain", "Заповедник", "Harbour2024"])
      await eve.mutation(api.projects.create, { name });
    const near = async (text: string) => (await eve.query(api.search.find, { text })).projects.map(({ name }) => name);
    expect(await near("lion")).toEqual(["Dandelions"]);
    expect(await near("dandelons")).toEqual(["Dandelions"]);
    expect(await near("dnadelions nothing")).toEqual(["Dandelions"]);
    expect(await near("grünland")).toEqual(["Grönland"]);
    expect(await near("ountain")).toHaveLength(2);
    expect(await near("заповдник")).toEqual(["Заповедник"]);
    expect(await near("harbuor2024")).toEqual(["Harbour2024"]);
    expect(await near("harbuor2025")).toEqual([]);
    expect(await near("lio")).toEqual([]);
    expect(await near("dendolions")).toEqual([]);
    await eve.mutation(api.projects.create, { name: "Lion" });
    expect(await near("lion")).toEqual(["Lion"]);
    expect(await near("mauntain")).toEqual(["Mountains"]);
  });
});
