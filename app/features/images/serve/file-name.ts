import { cleanName } from "#convex/model/names";
import { ACCEPTED, isAcceptedType } from "../display/accepted-types";

/** Returns a Content-Disposition (RFC 6266, 8187). No name can end the header or leave the target folder. */
export function attachment(name: string, contentType: string): string {
  const full = fileName(name, contentType);
  const ascii = full.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(full)}`;
}

/** Names a PDF page like its document, because the file is the whole document. */
export const fileName = (name: string, contentType: string): string =>
  withExtension(contentType === "application/pdf" ? name.replace(/ \(page \d+\)(?=\.pdf$|$)/i, "") : name, contentType);

function safe(name: string): string {
  const allowed = cleanName(name.toWellFormed().replace(/\p{Cc}/gu, ""))
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return cleanName(allowed) || "image";
}

function withExtension(name: string, contentType: string): string {
  const safeName = safe(name);
  if (!isAcceptedType(contentType)) return safeName;
  const { ends } = ACCEPTED[contentType];
  const isEnd = (text: string) => ends.some((end) => text.toLowerCase() === end);
  const [, stem = "", end = ""] = /^(.*)\.(.*)$/s.exec(name) ?? [];
  if (isEnd(end) && cleanName(stem) === "") return `image.${end}`;
  return isEnd(/\.([^.]*)$/.exec(safeName)?.[1] ?? "") ? safeName : `${safeName}.${ends[0]}`;
}

function encodeRfc8187(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
