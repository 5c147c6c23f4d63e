import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addPictures, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { signUp } from "../../tests/harness/people.ts";
import { baseline, removeFolder, temporaryFolder } from "../deployment.ts";
import { requestsPerSecond } from "../load.ts";
import { median, type Figure, ratio, rounded } from "../report.ts";

const ROUNDS = 5;
const ROUND_MS = 1500;

export async function variants(): Promise<Figure[]> {
  const folder = temporaryFolder("variants");
  const app = await startApp({ LOG_LEVEL: "warn" });
  try {
    const person = await signUp(app.url);
    const { designId } = await makeDesign(app, person);
    const [imageId = ""] = await addPictures(app, person, designId, ["dandelions"]);
    const url = `${app.url}/images/${imageId}?w=640`;
    const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
    const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
    const headers = { Cookie: [person.cookieHeader, ...cookies].join("; "), Accept: "image/webp,*/*" };
    const bytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
    const path = join(folder, "variant");
    await writeFile(path, bytes);
    const bare = await baseline("static-server", path);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = -1; round < ROUNDS; round++) {
      const rates = [await requestsPerSecond(bare.url, {}, ROUND_MS), await requestsPerSecond(url, headers, ROUND_MS)];
      if (round >= 0) theirs.push(rates[0] ?? 0);
      if (round >= 0) ours.push(rates[1] ?? 0);
    }
    await bare.stop();
    return [
      { name: "static file, bare server: requests per second", value: rounded(median(theirs)) },
      { name: "cached variant: requests per second", value: rounded(median(ours)) },
      ratio("cached variant ÷ static file", median(ours), median(theirs), 0.3, 0.7),
    ];
  } finally {
    await app.dispose();
    removeFolder(folder);
  }
}
