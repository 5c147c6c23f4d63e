import type { RouterContextProvider } from "react-router";
import { type Entry, zipResponse } from "~/features/downloads/zip-response.server";
import { listAll, nullIfNotFound, type Row } from "~/features/downloads/content-reader.server";
import { folderNames } from "~/features/downloads/folder-names";
import { openAhead } from "~/features/downloads/open-ahead";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { fromStorage } from "~/lib/http/files/from-storage.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import type { Visitor } from "../session/session.server";

const archive = api.accounts.archive;

type Root = "projects" | "trash";

type Shown = Record<string, unknown>;
type StoredFile = Row & { target: string; at: number; url: () => Promise<string>; shown: Shown[] };

const VERSIONS_AHEAD = 8;

export async function exportArchive(
  { sessionId, userId, user }: Visitor,
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const convex = serviceConvex(context.get(configContext));
  const account: unknown = await convex.query(api.accounts.belongings.account, { sessionId });
  if (request.method === "GET") {
    const exported = { sessionId, of: "data" as const, ...clientNetwork(context) };
    await convex.mutation(api.auditLog.recordExport, exported, { skipQueue: true });
  }

  async function* files(signal: AbortSignal): AsyncGenerator<Entry> {
    yield json("account.json", account);
    const picture = await convex.query(api.accounts.pictures.get, { sessionId, userId: user.id }).catch(nullIfNotFound);
    if (picture) yield { name: "picture.webp", input: new Uint8Array(picture.bytes) };

    const activities = [];
    for await (const { id: _, ...activity } of listAll(convex, archive.activities, { sessionId })) activities.push(activity);
    yield json("activity.json", activities);

    const events = [];
    for await (const { id: _, ...event } of listAll(convex, archive.auditEvents, { sessionId })) events.push(event);
    yield json("account-activity.json", events);

    const favourites = [];
    for await (const { id: _, ...favourite } of listAll(convex, archive.favourites, { sessionId })) favourites.push(favourite);
    yield json("favourites.json", favourites);

    const links = [];
    for await (const { id: _, ...link } of listAll(convex, archive.links, { sessionId })) links.push(link);
    yield json("links.json", links);

    const accessTokens = [];
    for await (const { id: _, ...token } of listAll(convex, archive.accessTokens, { sessionId })) accessTokens.push(token);
    yield json("access-tokens.json", accessTokens);
    const savedLinks = [];
    for await (const { id: _, ...saved } of listAll(convex, archive.savedLinks, { sessionId })) savedLinks.push(saved);
    yield json("saved-links.json", savedLinks);
    yield json("transfers.json", await convex.query(archive.transfers, { sessionId }));

    const webhooks = [];
    for await (const { id: _, ...webhook } of listAll(convex, archive.webhooks, { sessionId })) webhooks.push(webhook);
    yield json("webhooks.json", webhooks);

    const comments: unknown[] = [];
    yield* opened(commentFiles(comments), signal);
    const reactions = [];
    for await (const { id: _, ...reaction } of listAll(convex, archive.reactions, { sessionId })) reactions.push(reaction);
    yield json("comments.json", { comments, reactions });

    const projects: unknown[] = [];
    yield* opened(projectFiles(projects), signal);
    yield json("projects.json", projects);
  }

  async function* commentFiles(messages: unknown[]): AsyncGenerator<StoredFile> {
    const target = inFolder(() => "comments/");
    for await (const comment of listAll(convex, archive.comments, { sessionId })) {
      const images: Shown[] = [];
      messages.push({ ...comment, ...(imagesIn(comment).length > 0 && { images }) });
      for (const image of imagesIn(comment)) {
        const shown: Shown = { ...image };
        images.push(shown);
        const url = () => convex.query(archive.commentFile, { sessionId, imageId: image.id });
        yield { ...image, target: target.file(image), at: Number(comment["createdAt"]), url, shown: [shown] };
      }
    }
  }

  async function* projectFiles(messages: unknown[]): AsyncGenerator<StoredFile> {
    const folderIn = { projects: folders("projects/"), trash: folders("trash/") };
    for await (const project of listAll(convex, archive.projects, { sessionId })) {
      const designs: unknown[] = [];
      messages.push({ ...project, designs });
      yield* designFiles(project, { projects: folderIn.projects(project.name), trash: folderIn.trash(project.name) }, designs);
    }
  }

  async function* designFiles(project: Row, parent: Record<Root, Folder>, messages: unknown[]): AsyncGenerator<StoredFile> {
    const folderIn = { projects: folders(parent.projects), trash: folders(parent.trash) };
    for await (const design of listAll(convex, archive.designs, { sessionId, projectId: project.id })) {
      const images: unknown[] = [];
      messages.push({ ...design, images });
      const targets = { projects: inFolder(folderIn.projects(design.name)), trash: inFolder(folderIn.trash(design.name)) };
      for await (const { image, versions } of withVersions(listAll(convex, archive.images, { sessionId, designId: design.id })))
        yield* imageFiles(image, versions, targets[[project, design, image].some(isInTrash) ? "trash" : "projects"], images);
    }
  }

  async function* withVersions(images: AsyncIterable<Row>): AsyncGenerator<{ image: Row; versions: Row[] }> {
    const queue: { image: Row; versions: Promise<Row[]> }[] = [];
    const versionsOf = async ({ id: imageId }: Row): Promise<Row[]> => {
      const found: unknown[] | null = await convex.query(archive.versions, { sessionId, imageId }).catch(nullIfNotFound);
      return (found ?? []).filter(isNamed);
    };
    for await (const image of images) {
      const versions = versionsOf(image);
      versions.catch(() => {});
      queue.push({ image, versions });
      const first = queue.length > VERSIONS_AHEAD ? queue.shift() : undefined;
      if (first) yield { image: first.image, versions: await first.versions };
    }
    for (const { image, versions } of queue) yield { image, versions: await versions };
  }

  function* imageFiles(image: Row, versions: Row[], target: ImageTarget, messages: unknown[]): Generator<StoredFile> {
    const shown: Shown = { ...image };
    const shownVersions = versions.map((version): Shown => ({ ...version }));
    messages.push(Object.assign(shown, versions.length > 0 && { versions: shownVersions }));
    const current = shownVersions.filter((version) => version["current"] === true);
    const at = Number(image["createdAt"]);
    const urlOf = (version: { versionId?: string }) => () => convex.query(archive.file, { sessionId, imageId: image.id, ...version });
    yield { ...image, target: target.file(image), at, url: urlOf({}), shown: [shown, ...current] };
    const inVersions = inFolder(target.folder(`${image.name} (versions)`));
    for (const [index, version] of versions.entries()) {
      const earlier = shownVersions[index];
      if (version["current"] === true || !earlier) continue;
      const name = inVersions.file({ ...version, name: `${String(version["number"])} ${version.name}` });
      yield { ...version, target: name, at, url: urlOf({ versionId: version.id }), shown: [earlier] };
    }
  }

  /** Opens a few files ahead. Skips those that were deleted since; other failures abort the archive, so that it does not look complete. */
  async function* opened(stored: AsyncIterable<StoredFile>, signal: AbortSignal): AsyncGenerator<Entry> {
    const open = async ({ url: find }: StoredFile) => {
      const url = await find().catch(nullIfNotFound);
      return url === null ? null : fromStorage(context.get(configContext), url, { signal });
    };
    for await (const { image: file, original: opening } of openAhead(stored, open, signal)) {
      signal.throwIfAborted();
      const original = await opening;
      if (!original) continue;
      if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
      for (const shown of file.shown) shown["file"] = file.target;
      yield { name: file.target, input: original, lastModified: new Date(file.at) };
    }
  }

  return zipResponse(request, { name: `atelier-${new Date().toISOString().slice(0, 10)}`, userId, entries: files });
}

type ExportedImage = { id: string; name: string; contentType: string };

const imagesIn = (comment: Row): ExportedImage[] => (Array.isArray(comment["images"]) ? comment["images"] : []);

const isInTrash = (row: Row) => row["removedAt"] !== undefined;

const isNamed = (row: unknown): row is Row => typeof row === "object" && row !== null && "name" in row && typeof row.name === "string";

type Folder = () => string;

function folders(parent: string | Folder): (name: string) => Folder {
  const nameOf = folderNames();
  return (name) => {
    let path: string | undefined;
    return () => (path ??= `${typeof parent === "string" ? parent : parent()}${nameOf(name)}/`);
  };
}

type ImageTarget = { file(picture: Record<string, unknown> & { name: string }): string; folder(name: string): Folder };

function inFolder(parent: Folder): ImageTarget {
  const nameOf = folderNames();
  return {
    file: ({ name, contentType }) => parent() + nameOf(name, String(contentType)),
    folder: (name) => {
      let path: string | undefined;
      return () => (path ??= `${parent()}${nameOf(name)}/`);
    },
  };
}

const json = (name: string, content: unknown): Entry => ({ name, input: JSON.stringify(content, null, 2), lastModified: new Date() });
