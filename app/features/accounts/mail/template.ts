import { withoutHidden } from "#convex/model/names";
import type { MailContent } from "./messages";

export type Mail = { to: string; subject: string; html: string; text: string; headers?: Readonly<Record<string, string>> };

/** The dark theme of `app/lib/ui/theme/tokens.css`, in hex because email programs do not support oklch. */
const colour = {
  background: "#0b0b0b",
  card: "#191919",
  line: "#303030",
  ink: "#eeeeee",
  soft: "#b8b8b8",
  faint: "#9d9d9d",
  accent: "#f0c269",
  accentInk: "#161108",
};
const FONT = "Geist,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "'Geist Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

/** Renders an email as HTML and text. Email programs support little more than tables and inline styles. */
export function renderMail(content: MailContent): Mail {
  const mail = { to: content.to, subject: `${oneLine(content.subject)} · Atelier`, html: htmlOf(content), text: textOf(content) };
  return content.unsubscribe === undefined ? mail : { ...mail, headers: unsubscribeHeaders(content.unsubscribe) };
}

/** Returns the headers for a one-click unsubscribe button (RFC 8058). */
const unsubscribeHeaders = (url: string) => ({ "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" });

function textOf({ heading, paragraphs, quotes = [], entries = [], link, code, foot, footLinks = [] }: MailContent): string {
  const parts = [
    heading,
    ...paragraphs,
    ...quotes.map(({ by, text }) => `${by}:\n${text.replaceAll(/^/gm, "> ")}`),
    ...entries.map(({ text, detail, url }) => [text, detail, url].filter((line) => line !== undefined).join("\n")),
    code,
    link && `${link.label}:\n${link.url}`,
    foot,
    ...footLinks.map(({ label, url }) => `${label}:\n${url}`),
    "— Atelier",
  ];
  return `${parts.filter((part) => part !== undefined).join("\n\n")}\n`;
}

function htmlOf({ subject, heading, paragraphs, quotes = [], entries = [], link, code, foot, footLinks = [] }: MailContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<meta name="supported-color-schemes" content="dark">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:0;background:${colour.background};">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${colour.background};">
<tr><td align="center" style="padding:32px 16px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;text-align:left;">
<tr><td style="padding:0 4px 16px;font:500 13px/1.5 ${FONT};color:${colour.faint};">Atelier</td></tr>
<tr><td style="padding:28px;background:${colour.card};border:1px solid ${colour.line};border-radius:12px;">
<h1 style="margin:0 0 20px;font:600 20px/1.2 ${FONT};letter-spacing:-0.01em;color:${colour.ink};">${escaped(heading)}</h1>
${paragraphs.map((text) => paragraph(text, `margin:0 0 16px;font:400 14px/1.5 ${FONT};color:${colour.soft};`)).join("\n")}
${quotes.map(quoteHtml).join("\n")}
${entries.map(entryHtml).join("\n")}
${code === undefined ? "" : paragraph(code, `margin:24px 0;font:600 28px/1.2 ${MONO};letter-spacing:0.2em;color:${colour.ink};`)}
${link === undefined ? "" : linkHtml(link)}
</td></tr>
<tr><td style="padding:16px 4px 0;font:400 12px/1.5 ${FONT};color:${colour.faint};">${escaped(foot)}${footLinks.map(footLinkHtml).join("")}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const paragraph = (text: string, style: string) => `<p style="${style}overflow-wrap:anywhere;">${escaped(text)}</p>`;

function quoteHtml({ by, text }: NonNullable<MailContent["quotes"]>[number]): string {
  const quote = `margin:0 0 16px;padding:0 0 0 12px;border-left:2px solid ${colour.line};`;
  return `<div style="${quote}">${paragraph(by, `margin:0 0 4px;font:500 12px/1.5 ${FONT};color:${colour.faint};`)}
${paragraph(text, `margin:0;font:400 14px/1.5 ${FONT};color:${colour.ink};white-space:pre-line;`)}</div>`;
}

function entryHtml({ text, detail, url }: NonNullable<MailContent["entries"]>[number]): string {
  const line = `font:400 14px/1.5 ${FONT};color:${colour.ink};overflow-wrap:anywhere;`;
  const title = url === undefined ? escaped(text) : `<a href="${escaped(url)}" style="color:${colour.ink};">${escaped(text)}</a>`;
  return `<p style="margin:0;padding:12px 0 0;border-top:1px solid ${colour.line};${line}">${title}</p>
${paragraph(detail, `margin:0 0 12px;font:400 12px/1.5 ${FONT};color:${colour.faint};`)}`;
}

const footLinkHtml = ({ label, url }: { label: string; url: string }) =>
  `<br><a href="${escaped(url)}" style="color:${colour.soft};">${escaped(label)}</a>`;

function linkHtml({ label, url }: NonNullable<MailContent["link"]>): string {
  const button = `display:inline-block;padding:10px 16px;border-radius:8px;background:${colour.accent};color:${colour.accentInk};font:500 14px/1.2 ${FONT};text-decoration:none;`;
  return `<p style="margin:24px 0;"><a href="${escaped(url)}" style="${button}">${escaped(label)}</a></p>
<p style="margin:0;font:400 12px/1.5 ${FONT};color:${colour.faint};overflow-wrap:anywhere;">Or open this address: <a href="${escaped(url)}" style="color:${colour.soft};">${escaped(url)}</a></p>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (each) => entities[each] ?? each);

const oneLine = (text: string) => withoutHidden(text.toWellFormed()).replaceAll(/\s+/g, " ").trim();
