import { expect, it } from "vitest";
import { mailContentOf, type Message } from "./messages";
import { renderMail } from "./template";

const to = "ada@example.com";
const name = `Ada "<script>alert(1)</script>" & Co.`;
const url = "https://atelier.example/x?token=a&callbackURL=%2F";

const messages: Message[] = [
  { kind: "resetPassword", to, name, url },
  { kind: "verifyEmail", to, name, url },
  { kind: "verifyNewEmail", to, name, url },
  { kind: "confirmEmailChange", to, name, url, newEmail: "<new>@example.com" },
  { kind: "deleteAccount", to, name, url },
  { kind: "signInLink", to, name, url },
  { kind: "alreadySignedUp", to, name, url },
  { kind: "invitation", to, name, url },
  { kind: "projectInvitation", to, name, url, project: "<script>", inviter: { name: "<i>", email: "b@example.com" } },
  { kind: "linkReport", to, name, url, link: "l1", target: "<b>", text: "<script>" },
  { kind: "test", to, name, url },
  { kind: "backupWarning", to, name, url, problem: "the last backup failed" },
  { kind: "backupWarning", to, name, url, problem: null },
  { kind: "code", to, name, purpose: "sign-in", code: "012345" },
  { kind: "code", to, name, purpose: "two-factor", code: "012345" },
  { kind: "notice", to, name, url, at: 0, notice: { kind: "signIn", userAgent: "<b>", ipAddress: "<i>" } },
  { kind: "notice", to, name, url, at: 0, notice: { kind: "providerLinked", providerId: "github" } },
];

it.each(messages.map((message) => [message.kind, message] as const))(
  "%s has a subject, HTML and text, with all input escaped",
  (_, message) => {
    const mail = renderMail(mailContentOf(message));
    expect(mail.to).toBe(to);
    expect(mail.subject).toMatch(/^[A-Z][^<>]+ · Atelier$/);
    expect(mail.text).toContain(name);
    expect(mail.html).toContain("Ada &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot; &amp; Co.");
    expect(mail.html).not.toMatch(/<(script|b|i|new)\b/);
    const carried = message.kind === "code" ? message.code : url;
    expect(mail.text).toContain(carried);
    expect(mail.html).toContain(carried.replaceAll("&", "&amp;"));
  },
);

it.each([
  ["Ada Lovelace", "Hello Ada Lovelace,"],
  ["J. R. R. Tolkien Jr.", "Hello J. R. R. Tolkien Jr.,"],
  ["Ada\r\nLovelace", "Hello Ada Lovelace,"],
  ["עדה 2 (לאבלייס)", "Hello \u2068עדה 2 (לאבלייס)\u2069,"],
  [" ", "Hello,"],
  ["your prize: https://evil.example", "Hello,"],
  ["your prize is at evil.example", "Hello,"],
  ["write to eve@evil", "Hello,"],
  ["dear customer, ".repeat(10), "Hello,"],
])("greets only by names without links (%j)", (given, said) => {
  expect(mailContentOf({ kind: "signInLink", to, name: given, url }).paragraphs[0]).toBe(said);
});

it("does not reveal the new address to the old one", () => {
  const notice = { kind: "emailChanged", from: to, to: "new@example.com" } as const;
  expect(JSON.stringify(renderMail(mailContentOf({ kind: "notice", to, name, url, at: 0, notice })))).not.toContain("new@example.com");
});

const HOSTILE = "photo\u202Egnp.exe\u{E0041}\u2066\u200B\u00AD";

it.each(messages.map((message) => [message.kind, message] as const))("%s has a subject without misleading characters", (_, message) => {
  const notice = "notice" in message && "userAgent" in message.notice ? { notice: { ...message.notice, userAgent: HOSTILE } } : {};
  const { subject } = renderMail(mailContentOf({ ...message, name: HOSTILE, ...notice }));
  expect(subject).not.toMatch(/[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cc}]/u);
  expect(subject).toBe(renderMail(mailContentOf(message)).subject);
});

it("removes hidden characters from a subject and a greeting", () => {
  const content = mailContentOf({ kind: "verifyEmail", to, name: "A\u202Eda\u{E0041}", url });
  expect(content.paragraphs[0]).toBe("Hello Ada,");
  expect(mailContentOf({ kind: "verifyEmail", to, name: "\u3164", url }).paragraphs[0]).toBe("Hello,");
  expect(renderMail({ ...content, subject: "photo\u202Egnp.exe\u{E0041}" }).subject).toBe("photognp.exe · Atelier");
});

it("keeps a subject on one line", { tags: "@keeps-subject-line" }, () => {
  const content = { ...mailContentOf({ kind: "signInLink", to, name, url }), subject: "Hello\r\nBcc: everyone@example.com" };
  expect(renderMail(content).subject).toBe("Hello Bcc: everyone@example.com · Atelier");
});
