import type { Entry } from "./zip-response.server";
import type { ContentReader, Row, WholeSelection } from "./content-reader.server";
import { folderNames } from "./folder-names";
import { type OpenOriginal, openAhead } from "./open-ahead";

type Content = Pick<ContentReader, "designs" | "images" | "original">;
type ArchivedImage = { image: Row; file: string; entry: Entry };

/** Yields a design's pictures one at a time. Throws if one is unavailable, so that no incomplete archive appears complete. */
function imagesOf(content: Content, designId: string, folder: string, signal: AbortSignal): AsyncGenerator<ArchivedImage> {
  return archived(content, content.images(designId), folder, signal);
}

async function* archived(content: Content, images: AsyncIterable<Row>, folder: string, signal: AbortSignal): AsyncGenerator<ArchivedImage> {
  const nameOf = folderNames();
  for await (const { image, original: opening } of openAhead(images, openOnce(content, signal), signal)) {
    signal.throwIfAborted();
    const original = await opening;
    if (!original) continue;
    if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
    const file = folder + nameOf(image.name, typeOf(image, original));
    yield { image, file, entry: { name: file, input: original, lastModified: new Date(Number(image["createdAt"])) } };
  }
}

function openOnce(content: Content, signal: AbortSignal): OpenOriginal {
  const found = new Map<unknown, Promise<boolean>>();
  return (image) => {
    if (image["contentType"] !== "application/pdf") return content.original(image, signal);
    const document = image["checksum"];
    const earlier = found.get(document) ?? Promise.resolve(false);
    const original = earlier.then((isFound) => (isFound ? null : content.original(image, signal)));
    const isNowFound = Promise.all([earlier, original]).then(([isFound, response]) => isFound || response !== null);
    isNowFound.catch(() => {});
    found.set(document, isNowFound);
    return original;
  };
}

const typeOf = (image: Row, { headers }: Response): string => headers.get("Content-Type") ?? String(image["contentType"]);

export async function* designEntries(content: Content, designId: string, signal: AbortSignal): AsyncGenerator<Entry> {
  for await (const { entry } of imagesOf(content, designId, "", signal)) yield entry;
}

export function projectEntries(content: Content, projectId: string, signal: AbortSignal): AsyncGenerator<Entry> {
  return folders(content, content.designs(projectId), signal);
}

export async function* selectionEntries(
  content: ContentReader,
  kind: "image" | "design",
  ids: string[],
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  if (kind === "design") return yield* folders(content, content.chosenDesigns(ids), signal);
  for await (const { entry } of archived(content, content.chosenImages(ids), "", signal)) yield entry;
}

export async function* wholeEntries(content: ContentReader, selection: WholeSelection, signal: AbortSignal): AsyncGenerator<Entry> {
  const rows = content.selected(selection);
  if (selection.kind === "design") return yield* folders(content, rows, signal);
  for await (const { entry } of archived(content, rows, "", signal)) yield entry;
}

async function* folders(content: Content, designs: AsyncIterable<Row>, signal: AbortSignal): AsyncGenerator<Entry> {
  const nameOf = folderNames();
  for await (const design of designs) {
    const folder = `${nameOf(design.name)}/`;
    let isEmpty = true;
    for await (const { entry } of imagesOf(content, design.id, folder, signal)) {
      isEmpty = false;
      yield entry;
    }
    if (isEmpty) yield { name: folder, lastModified: new Date(Number(design["createdAt"])) };
  }
}
