import type { RouteConfigEntry } from "@react-router/dev/routes";
import routes from "../../../app/routes.ts";
import { api } from "../../../convex/_generated/api.js";
import { expect, type Person, type RunningApp } from "../../harness/test.ts";
import { addPictures, deploymentAs, makeDesign } from "./pictures.ts";

const LAYOUTS = new Set(["routes/account.tsx"]);

const ADMINISTRATION_LAYOUT = "routes/admin.tsx";

const QUERIES: Record<string, (ids: Record<string, string>) => string> = {
  compare: (ids) => `?a=${ids[":imageId"]}`,
};

export async function signedInAddresses(app: RunningApp, person: Person, name?: string): Promise<{ design: string; addresses: string[] }> {
  const { designId, path } = await makeDesign(app, person, name);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const convex = await deploymentAs(app, person);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  if (name !== undefined) {
    await convex.mutation(api.projects.rename, { id: projectId, name });
    await convex.mutation(api.designImages.rename, { id: imageId, name: `${name}.jpg` });
  }
  const trashed = await convex.mutation(api.designs.create, { projectId, name: name ?? "Trashed" });
  await convex.mutation(api.designs.remove, { id: trashed });
  const ids: Record<string, string> = { "projects/:id": projectId, "trash/:id": trashed, "design/:id": designId, ":imageId": imageId };
  const addressOf = (route: string) =>
    `/${Object.entries(ids).reduce((address, [of, id]) => address.replace(of, of.replace(/:\w+$/, id)), route)}${QUERIES[route]?.(ids) ?? ""}`;
  const pages = shellPages();
  expect(pages).toContain("trash/:id/restore");
  return { design: path, addresses: pages.map(addressOf) };
}

function shellPages(): string[] {
  const paths = (entries: RouteConfigEntry[], parent: string): string[] =>
    entries.flatMap(({ path = "", index = false, file, children = [] }) => {
      if (file === ADMINISTRATION_LAYOUT) return [];
      const own = [parent, path].filter(Boolean).join("/");
      const isPage = !index && path !== "" && !LAYOUTS.has(file);
      return [...(isPage || index ? [own] : []), ...paths(children, own)];
    });
  const signedIn = (entries: RouteConfigEntry[]): RouteConfigEntry[] =>
    entries.flatMap((entry) => (entry.file === "routes/signed-in.tsx" ? (entry.children ?? []) : signedIn(entry.children ?? [])));
  return paths(signedIn(routes), "");
}
