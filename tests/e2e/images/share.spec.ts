import { withAndWithoutJavaScript, expect, expectAccessible, type Person, type RunningApp, test } from "../../harness/test.ts";
import { badFiles } from "../../fixtures/pictures.ts";
import { pageActions } from "../support/page-actions.ts";
import { chosen, imagesIn, makeDesign } from "../support/pictures.ts";

async function share(app: RunningApp, person: Person | null, files: { name: string; buffer: Buffer }[]) {
  const form = new FormData();
  for (const { name, buffer } of files) form.append("files", new File([new Uint8Array(buffer)], name, { type: "image/*" }));
  return fetch(`${app.url}/share`, {
    method: "POST",
    body: form,
    redirect: "manual",
    headers: { Origin: "null", "Sec-Fetch-Site": "none", ...(person && { Cookie: person.cookieHeader }) },
  });
}

withAndWithoutJavaScript((javaScript) => {
  test("asks for the design of shared images, and adds them", { tag: ["@adds-shared-images", "@slow"] }, async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person, "Phone");
    const answer = await share(app, person, [await chosen("fig"), badFiles.renamedText()]);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/share/images"]);
    expect(await imagesIn(app, person, designId)).toEqual([]);

    const she = pageActions(page, javaScript);
    await she.open("/share/images");
    await expect(page.getByRole("list", { name: "Shared files" }).getByRole("listitem")).toHaveCount(2);
    await expectAccessible(page);
    await page.getByRole("radio", { name: /Phone/ }).check();
    await she.press("Add to design");
    await expect(page.getByRole("alert").getByText("1 of 2 files added")).toBeVisible();
    await expect(page.getByRole("alert")).toContainText("notes.png");
    expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(["fig.jpg"]);
    await expect(page.getByText("No shared images")).toBeVisible();

    await share(app, person, [await chosen("bank")]);
    await she.open("/share/images");
    await she.press("Add to design");
    await expect(page).toHaveURL(`${path}?added=1`);

    await share(app, person, [await chosen("clock")]);
    await she.open("/share/images");
    await she.press("Add to new project");
    await expect(page).toHaveURL(/\/design\/[^/]+\?added=1$/);
    await expect(page).not.toHaveURL(new RegExp(designId));
  });
});

test(
  "stores shared files for their user alone",
  { tag: "@shared-files-are-private" },
  async ({ page, app, person, stranger, otherBrowser }) => {
    const signedOut = await share(app, null, [await chosen("fig")]);
    expect([signedOut.status, signedOut.headers.get("Location")]).toEqual([302, "/sign-in?redirectTo=%2Fshare"]);
    await share(app, stranger, [await chosen("fig")]);
    await page.goto("/share");
    await expect(page).toHaveURL("/share/images");
    await expect(page.getByText("No shared images")).toBeVisible();

    const other = await otherBrowser(stranger);
    await other.goto("/share/images");
    await other.getByRole("button", { name: "Discard" }).click();
    await expect(other).toHaveURL("/projects");
    await other.goto("/share/images");
    await expect(other.getByText("No shared images")).toBeVisible();

    const foreign = await fetch(`${app.url}/share/images`, {
      method: "POST",
      body: new URLSearchParams({ choice: "new" }),
      redirect: "manual",
      headers: { Origin: "null", Cookie: person.cookieHeader },
    });
    expect(foreign.status).toBe(403);
  },
);

test("the manifest names the share target", async ({ request }) => {
  const { share_target } = await (await request.get("/manifest.webmanifest")).json();
  expect(share_target).toMatchObject({
    action: "/share",
    method: "POST",
    enctype: "multipart/form-data",
    params: { files: [{ name: "files" }] },
  });
});
