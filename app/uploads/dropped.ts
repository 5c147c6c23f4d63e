/** Files that came together: one drop, one paste. */
export type Batch = {
  files: File[];
  /** The name of the folder that they lay in, if it was one. */
  folder: string | null;
};

/** What systems put into folders and nobody chose. */
const NOT_CHOSEN = /^(?:\..*|Thumbs\.db|desktop\.ini)$/i;

/** What was dropped, to be read later: the browser gives it away only while the event lasts. */
export function dropped(transfer: DataTransfer): () => Promise<Batch> {
  const files = [...transfer.files];
  const entries = [...transfer.items]
    .flatMap((item) => (item.kind === "file" ? [item.webkitGetAsEntry()] : []))
    .filter((entry) => entry !== null);
  if (!entries.some(({ isDirectory }) => isDirectory)) return () => Promise.resolve({ files, folder: null });
  return async () => {
    const found = await Promise.all(entries.map(filesOf));
    const [only] = entries;
    return { files: found.flat(), folder: entries.length === 1 && only ? only.name : null };
  };
}

/** All files in a folder and the folders in it, by their names as they stand there. */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  if (!isDirectory(entry)) return [];
  const found: File[][] = [];
  for (const inside of await entriesIn(entry)) if (!NOT_CHOSEN.test(inside.name)) found.push(await filesOf(inside));
  return found.flat();
}

/** A reader answers a hundred at a time, and none at the end. */
async function entriesIn(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all.toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    all.push(...some);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** What browsers call a picture that was copied as pixels and has no name. */
const NAMELESS = /^image\.(\w+)$/i;

/** Files from the clipboard; pixels are named after the moment, since all of them would be "image.png". */
export function pasted(transfer: DataTransfer, now: Date): File[] {
  const two = (part: number) => String(part).padStart(2, "0");
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-");
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(".");
  return [...transfer.files].map((file, index) => {
    const end = NAMELESS.exec(file.name)?.[1];
    if (end === undefined) return file;
    const more = index === 0 ? "" : ` ${index + 1}`;
    return new File([file], `Pasted ${day} ${time}${more}.${end}`, { type: file.type, lastModified: now.getTime() });
  });
}
