import type { loadProject } from "./load-items.server";
import { href } from "react-router";
import { DownloadLink } from "~/features/downloads/download-link";
import { Mosaic } from "~/features/images/display/mosaic";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { useMay } from "~/lib/rights/rights";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { CardGrid, ItemCard } from "~/lib/ui/item-card";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";

export function LinkProject({ token, shown }: { token: string; shown: Awaited<ReturnType<typeof loadProject>> }) {
  const mayDownload = useMay()("download");
  const project = useLive(shown.project);
  const page = useEndless(shown.designs, api.designs.listDesigns);
  const addresses = useItemAddresses();
  useTitle(titleOf(project.name));
  const next = project.designCount > page.rows.length ? page.next : null;
  return (
    <Page>
      <PageHeader
        title={project.name}
        summary={`${count(project.designCount, "design")}, ${count(project.imageCount, "image")}`}
        about={project.description === "" ? null : <p className="max-w-[72ch] whitespace-pre-wrap text-soft">{project.description}</p>}
      >
        <DownloadLink
          archive={
            mayDownload && project.imageCount > 0 ? href("/s/:token/download/:file", { token, file: `${project._id}.zip` }) : undefined
          }
          label="Download all"
        />
      </PageHeader>
      {page.rows.length > 0 ? (
        <CardGrid label="Designs">
          {page.rows.map((design) => (
            <li key={design._id}>
              <ItemCard
                item={design}
                to={addresses.design(design._id)}
                name={design.name}
                cover={<Mosaic cover={design.cover} />}
                summary={<span>{count(design.imageCount, "image")}</span>}
              />
            </li>
          ))}
        </CardGrid>
      ) : (
        <EmptyState title="No designs yet" text="Designs appear here when the owner adds them." />
      )}
      <MorePages itemNoun="designs" page={{ ...page, next }} />
    </Page>
  );
}
