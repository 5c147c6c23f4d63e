import { fileName } from "~/features/images/serve/file-name";

/** The limit of common file systems, in UTF-8 bytes; zip itself allows 65,535. */
const NAME_BYTES = 255;

/** Reserved by Windows with any extension (https://learn.microsoft.com/windows/win32/fileio/naming-a-file). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:$|\.)/i;

/** Returns a function that makes names unique in a folder, ignoring case and Unicode composition. A type sets the extension. */
export function folderNames(): (name: string, contentType?: string) => string {
  const usedNames = new Set<string>();
  const key = (name: string) => name.normalize("NFC").toLowerCase();
  return (name, contentType = "") => {
    const safeName = fileName(name, contentType);
    const [, begin = safeName, end = ""] = contentType === "" ? [] : (/^(.*?)(\.[^.]*)?$/s.exec(safeName) ?? []);
    const start = DEVICE.test(safeName) ? `_${begin}` : begin;
    let free = cut(start, end);
    for (let count = 2; usedNames.has(key(free)); count++) free = cut(start, ` (${count})${end}`);
    usedNames.add(key(free));
    return free;
  };
}

function cut(start: string, end: string): string {
  const nameBytes = NAME_BYTES - Buffer.byteLength(end);
  if (Buffer.byteLength(start) <= nameBytes) return start + end;
  let safe = "";
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > nameBytes) break;
    safe += segment;
  }
  return safe.trimEnd() + end;
}
