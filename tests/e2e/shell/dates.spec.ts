import { api } from "../../../convex/_generated/api.js";
import { expect, hydrated, test } from "../../harness/test.ts";
import { clientsOf } from "../support/pictures.ts";

const timeZoneId = new Date().getUTCHours() < 10 ? "Pacific/Pago_Pago" : "Pacific/Kiritimati";
const day = (at: number, timeZone: string) => new Intl.DateTimeFormat("de-DE", { dateStyle: "medium", timeZone }).format(at);

test("shows dates by locale and time zone, and names UTC before the zone is known", async ({ app, person, browser }) => {
  const convex = (await clientsOf(app, person))();
  const id = await convex.mutation(api.projects.create, { name: "Harbour" });
  await convex.mutation(api.projects.remove, { id });
  const [trashed] = (await convex.query(api.trash.getTrash, {})).projects;
  const purgeAt = trashed?.purgeAt ?? 0;

  const settings = { baseURL: app.url, locale: "de-DE", timezoneId: timeZoneId };
  const scripted = await browser.newContext(settings);
  await scripted.addCookies(person.cookies);
  const page = await scripted.newPage();
  const deletes = page.getByText("Deletes on");
  await page.goto("/trash");
  await hydrated(page);
  await expect(deletes).toHaveText(`Deletes on ${day(purgeAt, timeZoneId)}`);

  const plain = await browser.newContext({ ...settings, javaScriptEnabled: false });
  await plain.addCookies(person.cookies);
  const other = await plain.newPage();
  await other.goto("/trash");
  await expect(other.getByText("Deletes on")).toHaveText(`Deletes on ${day(purgeAt, "UTC")} UTC`);
  await plain.addCookies((await scripted.cookies()).filter(({ name }) => name === "time_zone"));
  await other.reload();
  await expect(other.getByText("Deletes on")).toHaveText(`Deletes on ${day(purgeAt, timeZoneId)}`);
  await Promise.all([scripted.close(), plain.close()]);
});
