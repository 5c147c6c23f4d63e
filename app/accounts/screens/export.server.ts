import type { RouterContextProvider } from "react-router";
import { type Entry, zipResponse } from "~/archives/archive.server";
import { listed, orNone, type Row } from "~/archives/belongings.server";
import { folderNames } from "~/archives/folder-names";
import { configContext } from "~/http/context";
import { fromStorage } from "~/images/pictures.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";
import type { Visitor } from "../session.server";

const archive = api.accounts.archive;

/** Where things lie in the archive: what is in the trash apart from what is not. */
type Root = "projects" | "trash";

/**
 * Answers everything that is somebody's as a zip archive: `account.json`, their picture, `activity.json`, `projects.json`, and each file that they
 * brought, as it came: under `projects/<project>/<design>/` or, where it lies in the trash, under `trash/<project>/<design>/`, earlier versions of
 * an image in a folder beside it.
 */
export async function exportArchive(
  { sessionId, user }: Visitor,
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const convex = serviceConvex(context.get(configContext));
  const account: unknown = await convex.query(api.accounts.belongings.account, { sessionId });

  async function* files(signal: AbortSignal): AsyncGenerator<Entry> {
    yield json("account.json", account);
    const picture = await convex.query(api.accounts.pictures.get, { sessionId, userId: user.id }).catch(orNone);
    if (picture) yield { name: "picture.webp", input: new Uint8Array(picture.bytes) };

    const activities = [];
    for await (const { id: _, ...activity } of listed(convex, archive.activities, { sessionId })) activities.push(activity);
    yield json("activity.json", activities);

    const told = [];
    const folderIn = { projects: folders("projects/"), trash: folders("trash/") };
    for await (const project of listed(convex, archive.projects, { sessionId })) {
      const designs: unknown[] = [];
      told.push({ ...project, designs });
      yield* designsOf(project, { projects: folderIn.projects(project.name), trash: folderIn.trash(project.name) }, designs, signal);
    }
    // Last, since it says which file is which.
    yield json("projects.json", told);
  }

  async function* designsOf(project: Row, place: Record<Root, Folder>, told: unknown[], signal: AbortSignal): AsyncGenerator<Entry> {
    const folderIn = { projects: folders(place.projects), trash: folders(place.trash) };
    for await (const design of listed(convex, archive.designs, { sessionId, projectId: project.id })) {
      const images: unknown[] = [];
      told.push({ ...design, images });
      const places = { projects: inFolder(folderIn.projects(design.name)), trash: inFolder(folderIn.trash(design.name)) };
      for await (const image of listed(convex, archive.images, { sessionId, designId: design.id })) {
        signal.throwIfAborted();
        yield* filesOf(image, places[[project, design, image].some(isInTrash) ? "trash" : "projects"], images, signal);
      }
    }
  }

  /** The file of an image, and those of its other versions. */
  async function* filesOf(image: Row, place: Place, told: unknown[], signal: AbortSignal): AsyncGenerator<Entry> {
    const kept = (await convex.query(archive.versions, { sessionId, imageId: image.id }).catch(orNone)) ?? [];
    const file = await fileOf(image, {}, place.file(image), signal);
    if (file) yield file;
    const inVersions = inFolder(place.folder(`${image.name} (versions)`));
    const versions = [];
    for (const version of kept.filter(isNamed)) {
      const name = `${String(version["number"])} ${version.name}`;
      const earlier = version.current
        ? file
        : await fileOf(image, { versionId: version.id }, inVersions.file({ ...version, name }), signal);
      if (earlier && !version.current) yield earlier;
      versions.push({ ...version, file: earlier?.name });
    }
    told.push({ ...image, file: file?.name, ...(versions.length > 0 && { versions }) });
  }

  /** A stored file; undefined when it was deleted meanwhile. Should it not be had, the archive breaks off rather than ending as if it were whole. */
  async function fileOf(image: Row, version: { versionId?: string }, name: string, signal: AbortSignal) {
    const url = await convex.query(archive.file, { sessionId, imageId: image.id, ...version }).catch(orNone);
    if (url === null) return undefined;
    const original = await fromStorage(url, { signal });
    if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of an archive`);
    return { name, input: original, lastModified: new Date(Number(image["createdAt"])) };
  }

  return zipResponse(request, `atelier-${new Date().toISOString().slice(0, 10)}`, files);
}

const isInTrash = (row: Row) => row["removedAt"] !== undefined;

const isNamed = <Each extends Record<string, unknown>>(row: Each): row is Each & { name: string } => typeof row["name"] === "string";

/** A folder's path, with a slash at its end; it has its name only once something is to lie in it. */
type Folder = () => string;

/** Folders in a folder, no two of one name. */
function folders(parent: string | Folder): (name: string) => Folder {
  const nameOf = folderNames();
  return (name) => {
    let path: string | undefined;
    return () => (path ??= `${typeof parent === "string" ? parent : parent()}${nameOf(name)}/`);
  };
}

type Place = { file(picture: Record<string, unknown> & { name: string }): string; folder(name: string): Folder };

/** Where files, and folders among them, lie in a folder. */
function inFolder(parent: Folder): Place {
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
