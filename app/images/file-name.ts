import { ACCEPTED, isAcceptedType } from "./accepted";

/**
 * `Content-Disposition` that saves an original under its own name (RFC 6266), with the end that its type has. In two forms: for programs that
 * know only ASCII, and in full (RFC 8187). Nothing in a name can end the header or leave the folder that its owner saves into.
 */
export function attachment(name: string, contentType: string): string {
  const full = fileName(name, contentType);
  const ascii = full.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(full)}`;
}

/** A name for a file, as every file system takes it, with the end that its type has. */
export const fileName = (name: string, contentType: string): string => withEnd(safe(name), contentType);

/** Without what no file system takes, and without what a shell or an eye reads otherwise than it is written. */
function safe(name: string): string {
  const cleaned = name
    .toWellFormed()
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "-")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return cleaned || "image";
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
