import { randomUUID } from "node:crypto";
import { api } from "../../../convex/_generated/api.js";
import { storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, type RunningApp } from "../../harness/test.ts";
import { test } from "../support/mailed-test.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

const verify = async (app: RunningApp, { email }: Person) => (await storeOf(app)).change("users", { email }, { emailVerified: true });

const post = (app: RunningApp, path: string, { cookieHeader }: Person, fields: Record<string, string>) =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookieHeader, Origin: app.url },
    body: new URLSearchParams(fields),
  });

async function sharedImage(app: RunningApp, person: Person, other: Person) {
  const { designId } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const [own, others] = [await deploymentAs(app, person), await deploymentAs(app, other)];
  const { projectId } = await own.query(api.designs.getDesignById, { id: designId });
  await verify(app, other);
  const invite = { intent: "inviteMember", form: "invite", email: other.email, role: "commenter" };
  await post(app, `/projects/${projectId}/members`, person, invite);
  const [{ notice } = { notice: null }] = await others.query(api.notices.listAll, {});
  const accepted = await post(app, `/invitation?id=${notice?.kind === "invitation" ? notice.invitationId : ""}`, other, {});
  expect(accepted.status).toBe(303);
  const threadId = await own.mutation(api.comments.startThread, { itemId: imageId, text: "Larger?", key: randomUUID() });
  const reply = (text: string) => others.mutation(api.comments.reply, { threadId, text, key: randomUUID() });
  return { projectId, reply };
}

test(
  "emails a reply, counts it in the tab's title, and unsubscribes with one click",
  { tag: ["@mails-reply-once-counts-tab-ends", "@slow"] },
  async ({ page, app, person, stranger, mailbox, otherBrowser }) => {
    await verify(app, person);
    const { reply } = await sharedImage(app, person, stranger);
    await page.goto("/projects");
    await hydrated(page);
    await expect(page).toHaveTitle("Projects · Atelier");
    await reply("No, thanks");
    await expect(page).toHaveTitle("(1) Projects · Atelier");
    const isReply = ({ subject }: { subject: string }) => subject.includes("replied");
    await expect.poll(() => mailbox.for(person.email).filter(isReply).length, { timeout: 60_000 }).toBe(1);
    const [mail] = mailbox.for(person.email).filter(isReply);
    expect(mail?.text).toContain("> No, thanks");
    await page.goto(mail?.link ?? "");
    await expect(page.getByText("No, thanks")).toBeVisible();
    await hydrated(page);
    await expect(page).not.toHaveTitle(/^\(/);

    const address = /^List-Unsubscribe:\s+<(.+)>/m.exec(mail?.headers ?? "")?.[1] ?? "";
    expect(address).toContain("/unsubscribe?token=");
    const chosen = async () => (await (await deploymentAs(app, person)).query(api.notificationSettings.get, {})).deliveries;
    const scriptless = await otherBrowser(undefined, { javaScriptEnabled: false });
    await scriptless.goto(address);
    await expectAccessible(scriptless);
    expect((await chosen()).reply).toBe("now");
    await scriptless.getByRole("button", { name: "Unsubscribe" }).click();
    await expect(scriptless.getByText("You no longer get emails about replies.")).toBeVisible();
    expect((await chosen()).reply).toBe("never");

    await page.goto("/account/notifications");
    await hydrated(page);
    await page.getByLabel("Replies").selectOption("Immediately");
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect.poll(async () => (await chosen()).reply).toBe("now");
    const oneClick = await fetch(address, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });
    expect(oneClick.status).toBe(200);
    await expect(page.getByLabel("Replies")).toHaveValue("never");
    expect((await fetch(`${address}x`, { method: "POST" })).status).toBe(200);
  },
);

withAndWithoutJavaScript((javaScript) => {
  test("mutes a project, and chooses which emails to get", async ({ page, app, person, stranger }) => {
    const { projectId, reply } = await sharedImage(app, person, stranger);
    const ready = () => (javaScript ? hydrated(page) : undefined);
    await page.goto(`/projects/${projectId}/members`);
    await ready();
    await page.getByRole("button", { name: "Mute project" }).click();
    await expect(page.getByRole("button", { name: "Unmute" })).toBeVisible();
    // The page shows the change before it is stored.
    await expect.poll(async () => (await page.request.get(`/projects/${projectId}/members`)).text()).toContain("Unmute");
    await reply("Not counted");
    await page.goto("/notifications");
    await expect(page.getByRole("article")).toHaveText(/New reply/);
    await expect(page.getByText("Unread:")).toHaveCount(0);

    await page.getByRole("link", { name: "Notification settings" }).click();
    await expect(page).toHaveURL("/account/notifications");
    await ready();
    await expectAccessible(page);
    await page.getByLabel("Comments").selectOption("Never");
    await page.getByLabel("Replies").selectOption("Daily digest");
    await page.getByRole("button", { name: "Save settings" }).click();
    if (javaScript) await expect(page.getByText("Settings saved")).toBeVisible();
    await page.getByRole("list", { name: "Muted projects" }).getByRole("button", { name: "Unmute" }).click();
    await expect(page.getByText("No muted projects")).toBeVisible();
    await page.reload();
    await expect(page.getByLabel("Comments")).toHaveValue("never");
    await expect(page.getByLabel("Replies")).toHaveValue("daily");
    await reply("Counted");
    await page.goto("/notifications");
    await expect(page.getByText("Unread:")).toHaveCount(1);
  });
});
