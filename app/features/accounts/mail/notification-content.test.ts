import { expect, it } from "vitest";
import type { Id } from "#convex/_generated/dataModel";
import { subscriptionIn } from "./notification-content";
import { mailContentOf, type NotificationContent } from "./messages";
import { renderMail } from "./template";

const AT = Date.UTC(2026, 10, 26, 22, 30);
const ids = { designId: "d1" as Id<"designs">, imageId: "i1" as Id<"designImages">, projectId: "p1" as Id<"projects"> };
const about = { actor: "Eve", item: "Cover <1>", project: "Posters", ...ids };
const base = { _id: "n1" as Id<"notices">, at: AT, read: false };
const of = (kind: "mention" | "reply" | "comment") => ({
  ...base,
  notice: { kind, actorId: "u2", itemId: "i1", threadId: "t1" },
  about,
});

const message = (changes: Partial<NotificationContent>): NotificationContent & { kind: "notification" } => ({
  kind: "notification",
  to: "ada@example.com",
  name: "Ada",
  userId: "u1",
  notices: [],
  more: 0,
  isDigest: false,
  comments: [],
  url: "https://atelier.example",
  unsubscribe: "https://atelier.example/unsubscribe?token=x",
  ...changes,
});
const rendered = (changes: Partial<NotificationContent>) => renderMail(mailContentOf(message(changes)));

it("shows the comments of a thread with the link to it, escaped", () => {
  const mail = rendered({ notices: [of("comment"), of("mention")], comments: [{ author: "Eve", text: "Larger\n<script>" }] });
  expect(mail.subject).toBe("Eve mentioned you in a comment on “Cover <1>” · Atelier");
  expect(mail.text).toContain("Eve:\n> Larger\n> <script>");
  expect(mail.text).toContain("View comment:\nhttps://atelier.example/design/d1/images/i1/comments?thread=t1");
  expect(mail.text).toContain("you have access to the project “Posters”");
  expect(mail.html).toContain("Larger\n&lt;script&gt;");
  expect(mail.html).not.toContain("<script>");
});

it("marks guests of public links, also without their names", () => {
  const notice = (actor: string) => ({
    ...base,
    notice: { kind: "reply" as const, actorId: "guest-1", itemId: "i1", threadId: "t1", guest: actor },
    about: { ...about, actor },
  });
  const mail = (author: string) => rendered({ notices: [notice(author)], comments: [{ author, isGuest: true, text: "Larger" }] });
  expect(mail("Grace").subject).toBe("Grace (guest) replied to a comment on “Cover <1>” · Atelier");
  expect(mail("Grace").text).toContain("Grace (guest):\n> Larger");
  expect(mail("evil.example").text).toContain("Someone (guest):\n> Larger");
  expect(mail("evil.example").text).not.toContain("evil.example");
});

it("has List-Unsubscribe headers and an unsubscribe link", () => {
  const mail = rendered({ notices: [of("reply")], comments: [{ author: "Eve", text: "No" }] });
  expect(mail.headers).toEqual({
    "List-Unsubscribe": "<https://atelier.example/unsubscribe?token=x>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
  expect(mail.text).toContain("Unsubscribe:\nhttps://atelier.example/unsubscribe?token=x");
  expect(renderMail(mailContentOf({ kind: "verifyEmail", to: "a@b.c", name: "", url: "https://x.example" }))).not.toHaveProperty("headers");
});

it("formats times for the person's locale and time zone", () => {
  expect(rendered({ notices: [of("reply")], locale: "de-DE", timeZone: "Europe/Berlin" }).text).toContain("26.11.2026, 23:30");
  expect(rendered({ notices: [of("reply")] }).text).toContain("26 Nov 2026, 22:30 UTC");
});

it("lists the notices of a digest with their links, and counts the others", () => {
  const review = {
    ...base,
    notice: { kind: "reviewGiven" as const, actorId: "u2", itemId: "i1", status: "approved" as const },
    about,
  };
  const mail = rendered({ notices: [of("comment"), review], more: 3, isDigest: true });
  expect(mail.subject).toBe("Daily digest: 5 notifications · Atelier");
  expect(mail.text).toContain(
    "Eve commented on “Cover <1>”.\nPosters · 26 Nov 2026, 22:30 UTC\nhttps://atelier.example/design/d1/images/i1/comments",
  );
  expect(mail.text).toContain("Eve approved “Cover <1>”.\n");
  expect(mail.text).toContain("View 3 more:\nhttps://atelier.example/notifications");
  expect(mail.html).toContain("Eve commented on “Cover &lt;1&gt;”.");
});

it("replaces names that could contain a message or a link", () => {
  const access = { actor: "Win at evil.example", project: "www.evil.example", projectId: ids.projectId, role: "viewer" as const };
  const notice = { kind: "invitation" as const, actorId: "u2", invitationId: "v1" as Id<"invitations"> };
  const mail = rendered({ notices: [{ ...base, notice, access }] });
  expect(mail.text).toContain("Someone invites you to a project as a viewer.");
  expect(mail.text + mail.html).not.toContain("evil.example");
});

it("unsubscribes from the digest or from the most important kind", () => {
  expect(subscriptionIn({ notices: [of("comment"), of("reply")], isDigest: false })).toBe("reply");
  expect(subscriptionIn({ notices: [of("reply")], isDigest: true })).toBe("digest");
});
