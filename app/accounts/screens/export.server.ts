import type { RouterContextProvider } from "react-router";
import { type Entry, zipResponse } from "~/archives/archive.server";
import { belongingsOf, orNone } from "~/archives/belongings.server";
import { imagesOf } from "~/archives/contents";
import { folderNames } from "~/archives/folder-names";
import { configContext } from "~/http/context";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../service.server";
import type { Visitor } from "../session.server";

/**
 * Answers everything that is somebody's as a zip archive: `account.json`, `projects.json`, and each original under
 * `projects/<project>/<design>/`.
 */
export async function exportArchive(
  { sessionId, user }: Visitor,
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response> {
  const config = context.get(configContext);
  const convex = serviceConvex(config);
  const belongings = belongingsOf(sessionId, config);
  const account: unknown = await convex.query(api.accounts.belongings.account, { sessionId });

  async function* files(signal: AbortSignal): AsyncGenerator<Entry> {
    yield json("account.json", account);
    const picture = await convex.query(api.accounts.pictures.get, { sessionId, userId: user.id }).catch(orNone);
    if (picture) yield { name: "picture.webp", input: new Uint8Array(picture.bytes) };

    const told = [];
    const projectName = folderNames();
    for await (const project of belongings.projects()) {
      const folder = `projects/${projectName(project.name)}`;
      const designs = [];
      const designName = folderNames();
      for await (const design of belongings.designs(project.id)) {
        const images = [];
        for await (const { image, file, entry } of imagesOf(belongings, design.id, `${folder}/${designName(design.name)}/`, signal)) {
          yield entry;
          images.push({ ...image, file });
        }
        designs.push({ ...design, images });
      }
      told.push({ ...project, designs });
    }
    // Last, since it says which file is which.
    yield json("projects.json", told);
  }

  return zipResponse(request, `atelier-${new Date().toISOString().slice(0, 10)}`, files);
}

const json = (name: string, content: unknown): Entry => ({ name, input: JSON.stringify(content, null, 2), lastModified: new Date() });
