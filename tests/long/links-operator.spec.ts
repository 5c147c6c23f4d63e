import { api } from "../../convex/_generated/api.js";
import { startMailbox } from "../harness/services/mailbox.ts";
import { expect, openBrowser, type Person, type RunningApp, signUp, test } from "../harness/test.ts";
import { makeLink } from "../e2e/support/links.ts";
import { addPictures, deploymentAs, makeDesign } from "../e2e/support/pictures.ts";
import { runCommand } from "../e2e/support/user-command.ts";

async function projectOf(app: RunningApp, owner: Person) {
  const { designId } = await makeDesign(app, owner);
  await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  return (await convex.query(api.designs.getDesignById, { id: designId })).projectId;
}

const statusOf = async (app: RunningApp, path: string) => (await fetch(app.url + path)).status;

test("the operator lists and revokes public links", { tag: "@operator-lists-revokes-public-links" }, async ({ ownApp }) => {
  test.slow();
  const ada = await signUp(ownApp.url);
  const project = await projectOf(ownApp, ada);
  const links = [await makeLink(ownApp, ada, project), await makeLink(ownApp, ada, project)];
  const [one = "", other = ""] = links;
  const run = (...args: string[]) => runCommand("links", {}, ownApp, args);
  const { output } = await run("list");
  expect(output).toContain(`\t${ada.email}\t`);
  expect(output).toContain("project Magazine\tA link");
  expect(output).toContain("2 public links");
  expect(output).not.toContain(one.slice("/s/".length));
  expect(await run("revoke", output.split("\t")[0] ?? "")).toEqual({ code: 0, output: "The public link is revoked.\n" });
  expect([await statusOf(ownApp, one), await statusOf(ownApp, other)].toSorted((a, b) => a - b)).toEqual([200, 404]);
  expect((await run("revoke", "none")).code).toBe(1);
  expect(await run("revoke-all")).toEqual({ code: 1, output: "Nothing was revoked.\n" });
  expect(await run("revoke-all", "--yes")).toEqual({ code: 0, output: "1 public link revoked.\n" });
  expect([await statusOf(ownApp, one), await statusOf(ownApp, other)]).toEqual([404, 404]);
  expect((await run("nonsense")).output).toMatch(/^Usage: npm run links/);
});

test("PUBLIC_LINKS=false closes links and their form", { tag: "@public-links-false-closes-links-form" }, async ({ launch, browser }) => {
  test.slow();
  const before = await launch({});
  const ada = await signUp(before.url);
  const project = await projectOf(before, ada);
  const link = await makeLink(before, ada, project);
  await before.stop();
  const app = await launch({ DATA_DIR: before.dataDir, PUBLIC_LINKS: "false" });
  expect(await statusOf(app, link)).toBe(404);
  const page = await openBrowser(browser, app, ada);
  await page.goto(`/projects/${project}/sharing`);
  await expect(page.getByText("The operator has turned off public links.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Create link" })).toHaveCount(0);
});

test(
  "a visitor reports a link to the operator by email",
  { tag: "@visitor-reports-link-operator-by-mail" },
  async ({ launch, browser }) => {
    test.slow();
    const mailbox = await startMailbox();
    const app = await launch({ SMTP_URL: mailbox.url, OPERATOR_EMAIL: "operator@example.com" });
    const ada = await signUp(app.url);
    const link = await makeLink(app, ada, await projectOf(app, ada));
    const page = await openBrowser(browser, app);
    await page.goto(link);
    await page.getByRole("link", { name: "Report" }).click();
    await page.getByRole("button", { name: "Send report" }).click();
    await expect(page.getByText("Describe what is wrong.")).toBeVisible();
    await page.getByLabel("What is wrong?").fill("This is my picture.");
    await page.getByRole("button", { name: "Send report" }).click();
    await expect(page.getByText("The report was sent to the operator.")).toBeVisible();
    await expect.poll(() => mailbox.for("operator@example.com").length).toBe(1);
    const [mail] = mailbox.for("operator@example.com");
    expect(mail?.text).toContain("This is my picture.");
    expect(mail?.text).toContain("the project “");
    expect(mail?.text).not.toContain(link);
    await mailbox.close();
  },
);
