import type { RouterContextProvider } from "react-router";
import { type Entry, zipResponse } from "~/features/downloads/zip-response.server";
import { listAll, nullIfNotFound, type Row } from "~/features/downloads/content-reader.server";
import { folderNames } from "~/features/downloads/folder-names";
import { configContext } from "~/lib/http/context";
import { fromStorage } from "~/features/images/serve/image-service.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import type { Visitor } from "../session/session.server";

const archive = api.accounts.archive;

type Root = "projects" | "trash";

/** Responds with a zip of the account's data as JSON, and of all originals under `projects/` and `trash/`. */
export async function exportArchive(
  { sessionId, userId, user }: Visitor,
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const convex = serviceConvex(context.get(configContext));
  const account: unknown = await convex.query(api.accounts.belongings.account, { sessionId });

  async function* files(signal: AbortSignal): AsyncGenerator<Entry> {
    yield json("account.json", account);
    const picture = await convex.query(api.accounts.pictures.get, { sessionId, userId: user.id }).catch(nullIfNotFound);
    if (picture) yield { name: "picture.webp", input: new Uint8Array(picture.bytes) };

    const activities = [];
    for await (const { id: _, ...activity } of listAll(convex, archive.activities, { sessionId })) activities.push(activity);
    yield json("activity.json", activities);

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

    const comments = [];
    const inComments = inFolder(() => "comments/");
    for await (const comment of listAll(convex, archive.comments, { sessionId })) {
      const images: unknown[] = [];
      for (const image of imagesIn(comment)) {
        signal.throwIfAborted();
        const url = await convex.query(archive.commentFile, { sessionId, imageId: image.id }).catch(nullIfNotFound);
        const file = url === null ? undefined : await fileAt(url, inComments.file(image), Number(comment["createdAt"]), signal);
        if (file) yield file;
        images.push({ ...image, file: file?.name });
      }
      comments.push({ ...comment, ...(images.length > 0 && { images }) });
    }
    const reactions = [];
    for await (const { id: _, ...reaction } of listAll(convex, archive.reactions, { sessionId })) reactions.push(reaction);
    yield json("comments.json", { comments, reactions });

    const messages = [];
    const folderIn = { projects: folders("projects/"), trash: folders("trash/") };
    for await (const project of listAll(convex, archive.projects, { sessionId })) {
      const designs: unknown[] = [];
      messages.push({ ...project, designs });
      yield* designsOf(project, { projects: folderIn.projects(project.name), trash: folderIn.trash(project.name) }, designs, signal);
    }
    yield json("projects.json", messages);
  }

  async function* designsOf(project: Row, parent: Record<Root, Folder>, messages: unknown[], signal: AbortSignal): AsyncGenerator<Entry> {
    const folderIn = { projects: folders(parent.projects), trash: folders(parent.trash) };
    for await (const design of listAll(convex, archive.designs, { sessionId, projectId: project.id })) {
      const images: unknown[] = [];
      messages.push({ ...design, images });
      const targets = { projects: inFolder(folderIn.projects(design.name)), trash: inFolder(folderIn.trash(design.name)) };
      for await (const image of listAll(convex, archive.images, { sessionId, designId: design.id })) {
        signal.throwIfAborted();
        yield* filesOf(image, targets[[project, design, image].some(isInTrash) ? "trash" : "projects"], images, signal);
      }
    }
  }

  async function* filesOf(image: Row, target: ImageTarget, messages: unknown[], signal: AbortSignal): AsyncGenerator<Entry> {
    const storedVersions = (await convex.query(archive.versions, { sessionId, imageId: image.id }).catch(nullIfNotFound)) ?? [];
    const file = await fileOf(image, {}, target.file(image), signal);
    if (file) yield file;
    const inVersions = inFolder(target.folder(`${image.name} (versions)`));
    const versions = [];
    for (const version of storedVersions.filter(isNamed)) {
      const name = `${String(version["number"])} ${version.name}`;
      const earlier = version.current
        ? file
        : await fileOf(image, { versionId: version.id }, inVersions.file({ ...version, name }), signal);
      if (earlier && !version.current) yield earlier;
      versions.push({ ...version, file: earlier?.name });
    }
    messages.push({ ...image, file: file?.name, ...(versions.length > 0 && { versions }) });
  }

  /** Returns a file, or undefined if it was deleted since. Other failures abort the archive, so that it does not look complete. */
  async function fileOf(image: Row, version: { versionId?: string }, name: string, signal: AbortSignal) {
    const url = await convex.query(archive.file, { sessionId, imageId: image.id, ...version }).catch(nullIfNotFound);
    return url === null ? undefined : fileAt(url, name, Number(image["createdAt"]), signal);
  }

  async function fileAt(url: string, name: string, createdAt: number, signal: AbortSignal) {
    const original = await fromStorage(context.get(configContext), url, { signal });
    if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
    return { name, input: original, lastModified: new Date(createdAt) };
  }

  return zipResponse(request, { name: `atelier-${new Date().toISOString().slice(0, 10)}`, userId, entries: files });
}

type ExportedImage = { id: string; name: string; contentType: string };

const imagesIn = (comment: Row): ExportedImage[] => (Array.isArray(comment["images"]) ? comment["images"] : []);

const isInTrash = (row: Row) => row["removedAt"] !== undefined;

const isNamed = <Each extends Record<string, unknown>>(row: Each): row is Each & { name: string } => typeof row["name"] === "string";

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
