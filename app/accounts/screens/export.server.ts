import { type InputWithMeta, type InputWithSizeMeta, makeZip } from "client-zip";
import { api } from "#convex/_generated/api";
import type { FunctionReference } from "convex/server";
import type { RouterContextProvider } from "react-router";
import { refusalOf } from "~/data/refusals";
import { configContext } from "~/http/context";
import { picturesFor } from "~/images/pictures.server";
import { serviceConvex } from "../service.server";
import type { Visitor } from "../session.server";
import { folderNames } from "./folder-names";

const belongings = api.accounts.belongings;
const PAGE = 100;

type Entry = InputWithMeta | InputWithSizeMeta;
type Row = Record<string, unknown> & { id: string; name: string };

/**
 * Answers everything that is somebody's as a zip archive: `account.json`, `projects.json`, and each original under
 * `projects/<project>/<design>/`. It is written as fast as it is read, one picture at a time, so that its size costs no memory. What is deleted
 * meanwhile is left out; should a picture not be had, the archive breaks off rather than ending as if it were whole.
 */
export async function exportArchive(
  { sessionId, user }: Visitor,
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const config = context.get(configContext);
  const convex = serviceConvex(config);
  const pictures = picturesFor(config);

  async function* pages(query: FunctionReference<"query">, args: Record<string, string>): AsyncGenerator<Row> {
    let cursor: string | null = null;
    for (let more = true; more;) {
      const { page, isDone, continueCursor }: Page = await convex.query(query, {
        sessionId,
        ...args,
        paginationOpts: { cursor, numItems: PAGE },
      });
      yield* page;
      cursor = continueCursor;
      more = !isDone;
    }
  }
  const list = async (query: FunctionReference<"query">, args: Record<string, string> = {}) => {
    try {
      return await Array.fromAsync(pages(query, args));
    } catch (error) {
      if (refusalOf(error)?.code === "not_found") return [];
      throw error;
    }
  };

  const account: unknown = await convex.query(belongings.account, { sessionId });

  async function* files(): AsyncGenerator<Entry> {
    yield json("account.json", account);
    const picture = await convex.query(api.accounts.pictures.get, { sessionId, userId: user.id }).catch(orNone);
    if (picture) yield { name: "picture.webp", input: new Uint8Array(picture.bytes) };

    const told = [];
    const projectName = folderNames();
    for (const project of await list(belongings.projects)) {
      const folder = `projects/${projectName(project.name)}`;
      const designs = [];
      const designName = folderNames();
      for (const design of await list(belongings.designs, { projectId: project.id })) {
        const images = [];
        const place = `${folder}/${designName(design.name)}`;
        const imageName = folderNames();
        for (const image of await list(belongings.images, { designId: design.id })) {
          const file = `${place}/${imageName(image.name, String(image["contentType"]))}`;
          const original = await pictures.original(sessionId, image.id, null, request.signal).catch(orNone);
          if (!original) continue;
          if (!original.ok || !original.body) throw new Error(`The storage answered ${original.status} for an image of the archive`);
          yield { name: file, input: original };
          images.push({ ...image, file });
        }
        designs.push({ ...design, images });
      }
      told.push({ ...project, designs });
    }
    // Last, since it says which file is which.
    yield json("projects.json", told);
  }

  return new Response(makeZip(files()), {
    headers: {
      "Content-Type": "application/zip",
      "Content-Disposition": `attachment; filename="atelier-${new Date().toISOString().slice(0, 10)}.zip"`,
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

type Page = { page: Row[]; isDone: boolean; continueCursor: string };

const json = (name: string, content: unknown): Entry => ({ name, input: JSON.stringify(content, null, 2), lastModified: new Date() });

/** What was deleted while the archive was written is no fault of it. */
function orNone(error: unknown): null {
  if (refusalOf(error)?.code === "not_found") return null;
  throw error;
}
