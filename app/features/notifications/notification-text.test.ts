import { expect, it } from "vitest";
import type { Id } from "#convex/_generated/dataModel";
import { notificationText, projectNotificationLink, projectNotificationText } from "./notification-text";

it("names the device and its IP address if known", () => {
  const notice = { kind: "signIn", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0" } as const;
  expect(notificationText({ ...notice, ipAddress: "192.0.2.1" }).text).toMatch(/^Firefox on Linux, from 192\.0\.2\.1\. /);
  expect(notificationText({ ...notice, ipAddress: "" }).text).toMatch(/^Firefox on Linux\. /);
});

it.each([
  [{ kind: "providerLinked", providerId: "github" } as const, "GitHub"],
  [{ kind: "passkeyAdded", name: "Laptop" } as const, "the passkey “Laptop”"],
  [{ kind: "passkeyAdded", name: "" } as const, "a new passkey"],
  [
    { kind: "providerLinked" as const, providerId: "google", removed: ["credential", "figma", "passkeys", "sessions", "tokens"] },
    ": the password, the link to Figma, the passkeys, and the sessions on other devices. Your projects are unchanged. To sign in with a password",
  ],
  [{ kind: "emailChanged", from: "old@example.com", to: "new@example.com" } as const, "old@example.com to new@example.com"],
])("%j has the text %s", (notice, message) => {
  expect(notificationText(notice).text).toContain(message);
});

const projectId = "p1" as Id<"projects">;
const access = { actor: "ada", project: "Posters", projectId };
const changed = (change: "role" | "removed" | "transferOffered" | "transferAccepted" | "transferDeclined") =>
  ({ kind: "accessChanged", actorId: "u1", projectId, change }) as const;

it.each([
  [
    { notice: changed("role"), access: { ...access, role: "editor" as const } },
    "ada made you an editor of the project “Posters”.",
    "/projects/p1",
  ],
  [{ notice: changed("removed"), access }, "ada removed you from the project “Posters”.", undefined],
  [
    { notice: changed("removed"), access: { ...access, project: "" } },
    "Projects that were shared with you were deleted with their owner's account.",
    undefined,
  ],
  [{ notice: changed("transferOffered"), access }, "ada offers to transfer the project “Posters” to you.", "/projects/p1/transfer"],
  [
    { notice: changed("transferAccepted"), access },
    "ada is now the owner of the project “Posters”, and you are an editor.",
    "/projects/p1",
  ],
  [{ notice: changed("transferDeclined"), access }, "ada declined the transfer of the project “Posters”.", "/projects/p1"],
  [
    { notice: { kind: "invitation", actorId: "u1", invitationId: "v1" as Id<"invitations"> } as const, access },
    "ada invites you to the project “Posters” as a viewer.",
    "/invitation?id=v1",
  ],
  [{ notice: changed("role") }, null, undefined],
  [
    {
      notice: { kind: "comment", actorId: "guest-1", itemId: "d1", threadId: "t1", guest: "Grace" } as const,
      about: { actor: "Grace", item: "Cover", designId: "d1" as Id<"designs"> },
    },
    "Grace (guest) commented on “Cover”.",
    "/design/d1/comments?thread=t1",
  ],
  [
    {
      notice: { kind: "reply", actorId: "guest-1", itemId: "d1", threadId: "t1", guest: "Grace" } as const,
      about: { actor: "Grace", item: "Cover", designId: "d1" as Id<"designs"> },
      more: 37,
    },
    "Grace (guest) replied to a comment on “Cover”. 37 more comments came through the same public link.",
    "/design/d1/comments?thread=t1",
  ],
])("%j has a text and a link", (shown, text, to) => {
  expect([projectNotificationText(shown).text, projectNotificationLink(shown)?.to]).toEqual([text, to]);
});
