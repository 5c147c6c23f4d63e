import { storeFileHandle } from "./file-handles";

export type Batch = {
  files: File[];
  folder: string | null;
};

const NOT_CHOSEN = /^(?:\..*|Thumbs\.db|desktop\.ini)$/i;

/** Reads the transfer now and the files later: its items are available only during the event. */
export function readDroppedFiles(transfer: DataTransfer): () => Promise<Batch> {
  const files = [...transfer.files];
  for (const [index, item] of [...transfer.items].filter(({ kind }) => kind === "file").entries())
    if (files[index]) storeFileHandle(files[index], item);
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

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  if (!isDirectory(entry)) return [];
  const found: File[][] = [];
  for (const inside of await entriesIn(entry)) if (!NOT_CHOSEN.test(inside.name)) found.push(await filesOf(inside));
  return found.flat();
}

/** Reads all entries. `readEntries` returns at most 100 per call in Chromium, and none at the end. */
async function entriesIn(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return all.toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
    all.push(...entries);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const NAMELESS = /^image\.(\w+)$/i;

/** Returns pasted files. Pasted image data is named after the time, because browsers name it "image.png". */
export function readPastedFiles(transfer: DataTransfer, now: Date): File[] {
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
