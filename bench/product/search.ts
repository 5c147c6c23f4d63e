import { api, internal } from "../../convex/_generated/api.js";
import type { Backend, Person } from "../../tests/convex/backends.ts";
import { startTestDeployment } from "../../tests/convex/deployment.ts";
import { embeddedBackend, embeddedOn } from "../../tests/convex/embedded.ts";
import { probe } from "../../tests/convex/probe-references.ts";
import { insertImages, insertPerson } from "../image-rows.ts";
import { atMost, type Figure, median } from "../report.ts";

const IMAGES = 10_000;
const ROUNDS = 101;

const SYLLABLES = ["ba", "cor", "del", "fin", "gra", "hel", "li", "mon", "nor", "pas", "quil", "ro", "sen", "tar", "vel", "win"];

const word = (n: number) => [n % 16, (n >> 4) % 16, (n >> 8) % 16].map((place) => SYLLABLES[place]).join("");

const imageName = (n: number) => `${word((n * 7) % 4096)} ${word((n * 31) % 4096)} ${word(n % 64)} ${n}.jpg`;

const EXACT = {
  "one word, few matches": word(1234),
  "one word, many matches": word(7),
  "file extension, all match": "jpg",
  prefix: word(1234).slice(0, 4),
  "three words": `${word(1234)} ${word(77)} ${word(3)}`,
};
const NEAR = {
  "no match": "xylophone",
  infix: word(1234).slice(1),
  "typing error": word(1234).replace(/.(?=.$)/, "x"),
};

const REWRITTEN_MS = 70_000;

const NO_SLOWER_THAN_NOISE = 1.1;

export async function searches(): Promise<Figure[]> {
  const now = await embeddedBackend();
  const earlier = embeddedOn(await startTestDeployment("bench/baselines/stored-words"));
  try {
    const [person, past] = [await insertPerson(now, "Searcher"), await insertPerson(earlier, "Searcher")];
    await fill(now, person, false);
    const upgraded = await upgrade(now);
    await fill(earlier, past, true);
    await new Promise((resolve) => setTimeout(resolve, REWRITTEN_MS));
    const [searched, searchedBaseline] = [searcher(person), searcher(past)];
    const times: Record<string, number[]> = {};
    const timesBefore: Record<string, number[]> = {};
    for (let round = 0; round < ROUNDS; round++)
      for (const [what, text] of Object.entries({ ...EXACT, ...NEAR })) {
        (timesBefore[what] ??= []).push(await searchedBaseline(text));
        (times[what] ??= []).push(await searched(text));
      }
    const of = (what: string) => median(times[what] ?? []);
    const ratioOf = (what: string) => of(what) / median(timesBefore[what] ?? []);
    return [
      { name: `time to write the search terms of ${IMAGES} images`, value: `${(upgraded / 1000).toFixed(1)} s` },
      ...Object.keys(times).map((what) => ({ name: what, value: `${of(what).toFixed(1)} ms` })),
      ...Object.keys(EXACT).map((what) => atMost(`${what} ÷ before decision 123`, ratioOf(what), NO_SLOWER_THAN_NOISE, "")),
      { name: "no match ÷ before decision 123", value: ratioOf("no match").toFixed(2) },
      { name: "typing error ÷ one word, few matches", value: (of("typing error") / of("one word, few matches")).toFixed(2) },
    ];
  } finally {
    await now.close();
    await earlier.close();
  }
}

async function fill(backend: Backend, person: Person, withWords: boolean): Promise<void> {
  const projectId = await person.mutation(api.projects.create, { name: "Many" });
  const designId = await person.mutation(api.designs.create, { projectId, name: "Images" });
  await insertImages(backend, person, designId, IMAGES, (index) => {
    const name = imageName(index);
    return { name, ...(withWords && { words: name }) };
  });
}

async function upgrade(backend: Backend): Promise<number> {
  for (const { _id: done } of await backend.inside.query(probe.rows, { table: "upgrades" }))
    await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(done) });
  const began = performance.now();
  await backend.inside.mutation(internal.jobs.upgrade.run, {});
  await backend.settle();
  return performance.now() - began;
}

/** Returns a timed search (ms). Appends a new number of spaces to each text, so that no cache answers. */
function searcher(person: Person): (text: string) => Promise<number> {
  let count = 0;
  return async (text) => {
    const began = performance.now();
    await person.query(api.search.find, { text: text + " ".repeat(++count) });
    return performance.now() - began;
  };
}
