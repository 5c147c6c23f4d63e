import { cleanName } from "#convex/model/names";
import { ACCEPTED, isAcceptedType } from "../display/accepted-types";

/** RFC 6266 and 8187: no name can end the header or leave the target folder. */
export function attachment(name: string, contentType: string): string {
  const full = fileName(name, contentType);
  const ascii = full.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(full)}`;
}

/** A page's name becomes that of its document, which is the file. */
export const fileName = (name: string, contentType: string): string =>
  withEnd(safe(contentType === "application/pdf" ? name.replace(/ \(page \d+\)(?=\.pdf$|$)/i, "") : name), contentType);

/** Removes characters that file systems reject, or that shells and people misread. */
function safe(name: string): string {
  const allowed = cleanName(name.toWellFormed().replace(/\p{Cc}/gu, ""))
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return cleanName(allowed) || "image";
}

function withEnd(name: string, contentType: string): string {
  if (!isAcceptedType(contentType)) return name;
  const { ends } = ACCEPTED[contentType];
  const lower = name.toLowerCase();
  return ends.some((end) => lower.endsWith(`.${end}`)) ? name : `${name}.${ends[0]}`;
}

function encodeRfc8187(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
