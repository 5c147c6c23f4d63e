import type { Entry } from "./archive.server";
import type { Belongings, Row } from "./belongings.server";
import { folderNames } from "./folder-names";

/** A picture in an archive: its row, where it lies, and what the archive's writer takes. */
type ArchivedImage = { image: Row; file: string; entry: Entry };

/**
 * The pictures of a design, each with its own name, one at a time: the next is asked for when the last was written. Should one not be had, the
 * archive breaks off rather than ending as if it were whole.
 *
 * @param folder where they are to lie: "" or a path that ends with a slash
 */
function imagesOf(belongings: Belongings, designId: string, folder: string, signal: AbortSignal): AsyncGenerator<ArchivedImage> {
  return archived(belongings, belongings.images(designId), folder, signal);
}

async function* archived(
  belongings: Belongings,
  images: AsyncIterable<Row>,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<ArchivedImage> {
  const nameOf = folderNames();
  for await (const image of images) {
    signal.throwIfAborted();
    const original = await belongings.original(image.id, signal);
    if (!original) continue;
    if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
    const file = folder + nameOf(image.name, String(image["contentType"]));
    yield { image, file, entry: { name: file, input: original, lastModified: new Date(Number(image["createdAt"])) } };
  }
}

/** What a design's archive holds: its pictures. */
export async function* designEntries(belongings: Belongings, designId: string, signal: AbortSignal): AsyncGenerator<Entry> {
  for await (const { entry } of imagesOf(belongings, designId, "", signal)) yield entry;
}

/** What a project's archive holds: a folder for each design. */
export function projectEntries(belongings: Belongings, projectId: string, signal: AbortSignal): AsyncGenerator<Entry> {
  return folders(belongings, belongings.designs(projectId), signal);
}

/** What is chosen of images, perhaps of several designs, or of designs, each in a folder of its own. */
export async function* selectionEntries(
  belongings: Belongings,
  kind: "image" | "design",
  ids: string[],
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  if (kind === "design") return yield* folders(belongings, belongings.chosenDesigns(ids), signal);
  for await (const { entry } of archived(belongings, belongings.chosenImages(ids), "", signal)) yield entry;
}

async function* folders(belongings: Belongings, designs: AsyncIterable<Row>, signal: AbortSignal): AsyncGenerator<Entry> {
  const nameOf = folderNames();
  for await (const design of designs) {
    const folder = `${nameOf(design.name)}/`;
    let isEmpty = true;
    for await (const { entry } of imagesOf(belongings, design.id, folder, signal)) {
      isEmpty = false;
      yield entry;
    }
    if (isEmpty) yield { name: folder, lastModified: new Date(Number(design["createdAt"])) };
  }
}
