import { expect, it } from "vitest";
import { fileHandleOf } from "./file-handles";
import { readDroppedFiles, readPastedFiles } from "./dropped-files";

type Tree = { [name: string]: Tree | null };

function entry(name: string, inside: Tree | null): FileSystemEntry {
  const common = { name, fullPath: `/${name}`, isFile: inside === null, isDirectory: inside !== null };
  if (inside === null)
    return Object.assign({ file: (done: (file: File) => void) => done(new File(["x"], name)) }, common) as unknown as FileSystemEntry;
  const rest = Object.entries(inside).map(([each, tree]) => entry(each, tree));
  const createReader = () => ({ readEntries: (done: (some: FileSystemEntry[]) => void) => done(rest.splice(0, 2)) });
  return Object.assign({ createReader }, common) as unknown as FileSystemEntry;
}

function transfer(tree: Tree): DataTransfer {
  const items = Object.entries(tree).map(([name, inside]) => ({ kind: "file", webkitGetAsEntry: () => entry(name, inside) }));
  const files = Object.keys(tree).map((name) => new File(["x"], name));
  return { items, files } as unknown as DataTransfer;
}

it("finds the files of a folder and its subfolders, without system files", async () => {
  const read = readDroppedFiles(
    transfer({ Autumn: { "b10.png": null, "b2.png": null, ".DS_Store": null, "Thumbs.db": null, Drafts: { "c.jpg": null }, a: {} } }),
  );
  const { files, folder } = await read();
  expect([folder, files.map(({ name }) => name)]).toEqual(["Autumn", ["b2.png", "b10.png", "c.jpg"]]);
});

it("returns files and folders that were dropped together in their order", async () => {
  const { files, folder } = await readDroppedFiles(transfer({ "z.png": null, Autumn: { "a.png": null } }))();
  expect([folder, files.map(({ name }) => name)]).toEqual([null, ["z.png", "a.png"]]);
});

it("stores the handles of dropped files where the browser offers them", async () => {
  const handle = { kind: "file", requestPermission: () => Promise.resolve("granted") };
  const dropped = transfer({ "a.png": null, "b.png": null });
  Object.assign(dropped.items[1] ?? {}, { getAsFileSystemHandle: () => Promise.resolve(handle) });
  const { files } = await readDroppedFiles(dropped)();
  expect(await Promise.all(files.map(fileHandleOf))).toEqual([null, handle]);
});

it("names pasted image data after the time and keeps the names of files", () => {
  const files = [new File(["x"], "image.png", { type: "image/png" }), new File(["x"], "image.png"), new File(["x"], "Poster.png")];
  const transfer = { files } as unknown as DataTransfer;
  expect(readPastedFiles(transfer, new Date(2026, 10, 21, 9, 5, 7)).map(({ name, type }) => [name, type])).toEqual([
    ["Pasted 2026-11-21 09.05.07.png", "image/png"],
    ["Pasted 2026-11-21 09.05.07 2.png", ""],
    ["Poster.png", ""],
  ]);
});
