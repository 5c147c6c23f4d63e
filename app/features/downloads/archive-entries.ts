import type { Entry } from "./zip-response.server";
import type { ContentReader, Row, WholeSelection } from "./content-reader.server";
import { folderNames } from "./folder-names";

type Content = Pick<ContentReader, "designs" | "images" | "original">;
type ArchivedImage = { image: Row; file: string; entry: Entry };

/** Yields a design's pictures one at a time. Throws if one is unavailable, so that no incomplete archive appears complete. */
function imagesOf(content: Content, designId: string, folder: string, signal: AbortSignal): AsyncGenerator<ArchivedImage> {
  return archived(content, content.images(designId), folder, signal);
}

async function* archived(content: Content, images: AsyncIterable<Row>, folder: string, signal: AbortSignal): AsyncGenerator<ArchivedImage> {
  const nameOf = folderNames();
  const documents = new Set<unknown>();
  for await (const image of images) {
    signal.throwIfAborted();
    const document = image["contentType"] === "application/pdf" ? image["checksum"] : undefined;
    if (document !== undefined && documents.has(document)) continue;
    const original = await content.original(image, signal);
    if (!original) continue;
    if (document !== undefined) documents.add(document);
    if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
    const file = folder + nameOf(image.name, typeOf(image, original));
    yield { image, file, entry: { name: file, input: original, lastModified: new Date(Number(image["createdAt"])) } };
  }
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
