import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, signUp, test } from "../../harness/test.ts";
import { addPictures, chosen, makeDesign } from "../support/pictures.ts";

test("lets no other local user read DATA_DIR, with any earlier mode", { tag: "@slow" }, async ({ ownApp: app }) => {
  const entries = async () => ["", ...(await readdir(app.dataDir, { recursive: true }))];
  const openToOthers = async () => {
    const open: string[] = [];
    for (const path of await entries()) {
      const entry = await lstat(join(app.dataDir, path)).catch(() => null);
      if (entry && (entry.mode & 0o077) !== 0) open.push(path);
    }
    return open;
  };
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const [image = ""] = await addPictures(app, person, designId, [await chosen("fig")]);
  const picture = await fetch(`${app.url}/images/${image}?w=320`, { headers: { Cookie: person.cookieHeader } });
  expect(picture.status).toBe(200);
  await picture.arrayBuffer();
  expect((await entries()).filter((path) => /^cache.*webp$/.test(path))).not.toEqual([]);
  expect(await openToOthers()).toEqual([]);

  expect(await app.stop()).toBe(0);
  for (const path of await entries()) await chmod(join(app.dataDir, path), 0o755);
  await app.start();
  await expect.poll(openToOthers).toEqual([]);
});
