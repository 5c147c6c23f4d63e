import { useMemo, useRef } from "react";
import type { FunctionReturnType } from "convex/server";
import { href, Outlet } from "react-router";
import type { DesignOfLink } from "./link-image";
import type { loadDesign } from "./load-items.server";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import { Gallery, useGalleryView } from "~/features/images/gallery/gallery";
import { DesignCommentsLink } from "~/features/comments/design-comments-link";
import { DownloadLink } from "~/features/downloads/download-link";
import { useSelection } from "~/features/selection/use-selection";
import { type Endless, useEndless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { useMay } from "~/lib/rights/rights";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { IMAGE_ORDERS, SortMenu } from "~/lib/ui/navigation/sort-menu";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";

type LinkDesignProps = { token: string; shown: Awaited<ReturnType<typeof loadDesign>>; isViewing?: boolean };
type GalleryProps = Omit<LinkDesignProps, "isViewing"> & { design: Design; page: Endless<DesignImage> };

type Design = FunctionReturnType<typeof api.designs.getDesignById>;

const NOTHING: string[] = [];
const none = () => {};

export function LinkDesign({ isViewing = false, ...rest }: LinkDesignProps) {
  const { shown } = rest;
  const design = useLive(shown.design);
  const page = useEndless(shown.images, api.designImages.listDesignImages);
  if (isViewing) return <Outlet context={{ page, imageCount: design.imageCount } satisfies DesignOfLink} />;
  return <DesignGallery {...rest} design={design} page={page} />;
}

function DesignGallery({ token, shown, design, page }: GalleryProps) {
  useTitle(titleOf(design.name));
  const { view, choice } = useGalleryView(shown.view);
  const may = useMay();
  const [mayReadComments, mayDownload] = [may("readComments"), may("download")];
  const list = useRef<HTMLUListElement>(null);
  const all = useSelection(NOTHING);
  const selection = useMemo(() => ({ ...all, on: false }), [all]);
  const next = design.imageCount > page.rows.length ? page.next : null;
  return (
    <Page>
      <PageHeader
        trail={shown.isTarget ? null : <Breadcrumb trail={[{ to: href("/s/:token", { token }), name: "All designs" }]} />}
        title={design.name}
        summary={count(design.imageCount, "image")}
        about={
          <div className="flex flex-wrap items-start gap-3">
            {design.description === "" ? null : <p className="max-w-[72ch] whitespace-pre-wrap text-soft">{design.description}</p>}
            {page.rows.length > 0 ? choice : null}
          </div>
        }
      >
        <DownloadLink
          archive={
            mayDownload && design.imageCount > 0 ? href("/s/:token/download/:file", { token, file: `${design._id}.zip` }) : undefined
          }
          label="Download all"
        />
        {mayReadComments ? <DesignCommentsLink design={design} /> : null}
        {page.rows.length > 1 ? <SortMenu orders={IMAGE_ORDERS} /> : null}
      </PageHeader>
      {page.rows.length > 0 ? (
        <Gallery
          list={list}
          images={page.rows}
          openDialog={none}
          projectId={design.projectId}
          isManual={false}
          view={view}
          page={{ ...page, next }}
          total={design.imageCount}
          dropTargets={undefined}
          selection={selection}
        />
      ) : (
        <EmptyState title="No images yet" text="Images appear here when the owner adds them." />
      )}
      <MorePages itemNoun="images" page={{ ...page, next }} />
    </Page>
  );
}
