import { Section } from "~/features/accounts/settings/section";
import { readStorage } from "~/features/administration/operation/read-storage.server";
import { LargestProjects, StorageOfPeople, StorageSummary } from "~/features/administration/operation/storage-view";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { configContext } from "~/lib/http/context";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.storage";

export const meta: Route.MetaFunction = () => [{ title: "Storage · Administration · Atelier" }];

const SHOWN = 50;

export async function loader({ context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [people, projects, storage] = await Promise.all([
    convex.preload(api.admin.storage.people, { paginationOpts: { cursor, numItems: SHOWN } }),
    convex.preload(api.admin.storage.projects, {}),
    readStorage(context),
  ]);
  return { people, projects, storage, isFirst: cursor === null, defaultQuota: context.get(configContext).storageQuotaBytes };
}

export const shouldRevalidate = liveRevalidation;

export default function Storage({ loaderData }: Route.ComponentProps) {
  const { storage, isFirst, defaultQuota } = loaderData;
  const page = useEndless(loaderData.people);
  const projects = useLive(loaderData.projects);
  return (
    <>
      <StorageSummary storage={storage} />
      <Section title="People" about="Each stored file counts once per person, with the trash and earlier versions.">
        {page.rows.length > 0 ? (
          <StorageOfPeople rows={page.rows} defaultQuota={defaultQuota} />
        ) : (
          <p className="text-soft">Nobody has stored anything yet.</p>
        )}
        <MorePages itemNoun="people" page={{ ...page, isFirst }} />
      </Section>
      <Section title="Largest projects" about="By number of images. Administrators see no names of projects.">
        {projects.length > 0 ? <LargestProjects projects={projects} /> : <p className="text-soft">There are no projects yet.</p>}
      </Section>
    </>
  );
}
