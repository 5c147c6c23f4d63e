import { fileName } from "~/images/file-name";

/** Bytes of a name that every file system takes, in UTF-8; zip itself would allow 65,535. */
const NAME_BYTES = 255;

/** Names that Windows keeps for devices, with whatever end (https://learn.microsoft.com/windows/win32/fileio/naming-a-file). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:$|\.)/i;

/**
 * Names for what lies in one folder of an archive: what every file system takes, and no two the same, also where upper and lower case, or two
 * spellings of one character, are one.
 *
 * @returns the name for each next one; with its type, a picture's name gets the end that its type has
 */
export function folderNames(): (name: string, contentType?: string) => string {
  const taken = new Set<string>();
  const key = (name: string) => name.normalize("NFC").toLowerCase();
  return (name, contentType = "") => {
    const wanted = fileName(name, contentType);
    const [, begin = wanted, end = ""] = contentType === "" ? [] : (/^(.*?)(\.[^.]*)?$/s.exec(wanted) ?? []);
    const start = DEVICE.test(wanted) ? `_${begin}` : begin;
    let free = cut(start, end);
    for (let count = 2; taken.has(key(free)); count++) free = cut(start, ` (${count})${end}`);
    taken.add(key(free));
    return free;
  };
}

/** The beginning of a name, as much of it as fits, with its end. */
function cut(start: string, end: string): string {
  const room = NAME_BYTES - Buffer.byteLength(end);
  if (Buffer.byteLength(start) <= room) return start + end;
  let kept = "";
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > room) break;
    kept += segment;
  }
  return kept.trimEnd() + end;
}
