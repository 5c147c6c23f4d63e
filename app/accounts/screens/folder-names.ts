import { fileName } from "~/images/file-name";

/**
 * Names for what lies in one folder of an archive: what every file system takes, and no two the same, also where upper and lower case are one.
 *
 * @returns the name for each next one; with its type, a picture's name gets the end that its type has
 */
export function folderNames(): (name: string, contentType?: string) => string {
  const taken = new Set<string>();
  return (name, contentType = "") => {
    const wanted = fileName(name, contentType);
    const [, start = wanted, end = ""] = contentType === "" ? [] : (/^(.*?)(\.[^.]*)?$/s.exec(wanted) ?? []);
    let free = wanted;
    for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${start} (${count})${end}`;
    taken.add(free.toLowerCase());
    return free;
  };
}
