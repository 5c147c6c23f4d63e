import { type ReactNode, useMemo } from "react";
import { href } from "react-router";
import type { AppConfig } from "~/config";
import { type LinkAuthor, LinkCommentingContext } from "~/features/comments/link-commenting";
import { LiveProvider } from "~/lib/data/connection/live-provider";
import { type ItemAddresses, ItemAddressesProvider } from "~/lib/rights/item-addresses";
import { OwnRights } from "~/lib/rights/rights";
import { IconSymbols } from "~/lib/ui/icons/icon-symbols";
import { Logo } from "~/lib/ui/icons/logo";
import { Link } from "~/lib/ui/navigation/link";
import type { LinkRole } from "#convex/model/rights";
import { SaveLinkForm } from "../saved/save-link-form";
import { useLinkAuth } from "./use-link-auth";
import { useLinkSending } from "./use-link-commenting";

type LinkFrameProps = {
  token: string;
  role: LinkRole;
  convex: AppConfig["browserConvex"];
  canReport: boolean;
  isOfImage: boolean;
  isSaved: boolean | null;
  saveProblem: string | null;
  commenter: LinkAuthor | null;
  children: ReactNode;
};

export function LinkFrame({ token, role, convex, canReport, isOfImage, isSaved, saveProblem, commenter, children }: LinkFrameProps) {
  const addresses = useMemo(() => addressesIn(token, isOfImage), [token, isOfImage]);
  const commenting = useLinkSending(token, commenter);
  return (
    <LiveProvider address={convex} useAuth={useLinkAuth}>
      <IconSymbols>
        <OwnRights role={role}>
          <ItemAddressesProvider addresses={addresses}>
            <a href="#main" className="skip-link">
              Skip to content
            </a>
            <header className="flex min-h-12 items-center justify-between border-b px-4 md:px-8" data-print="hide">
              <Link
                to={href("/s/:token", { token })}
                prefetch="intent"
                className="flex items-center gap-2 rounded-md py-2 font-semibold pointer-coarse:min-h-11"
              >
                <Logo />
                Atelier
              </Link>
              <div className="flex items-center gap-4">
                {isSaved === null ? null : <SaveLinkForm key={token} token={token} isSaved={isSaved} problem={saveProblem} />}
                {canReport ? (
                  <Link
                    to={href("/s/:token/report", { token })}
                    prefetch="intent"
                    className="flex items-center rounded-md py-2 text-sm text-soft hover:text-ink pointer-coarse:min-h-11"
                  >
                    Report
                  </Link>
                ) : null}
              </div>
            </header>
            <main id="main" tabIndex={-1} className="outline-none">
              <LinkCommentingContext value={commenting}>{children}</LinkCommentingContext>
            </main>
          </ItemAddressesProvider>
        </OwnRights>
      </IconSymbols>
    </LiveProvider>
  );
}

const addressesIn = (token: string, isOfImage: boolean): ItemAddresses => ({
  design: (id) => href("/s/:token/designs/:id", { token, id }),
  image: (id, imageId) =>
    isOfImage
      ? href("/s/:token/images/:imageId", { token, imageId })
      : href("/s/:token/designs/:id/images/:imageId", { token, id, imageId }),
  files: href("/s/:token/files/:id", { token, id: "" }).replace(/\/$/, ""),
  compare: href("/s/:token/compare", { token }),
  comments: (id, imageId) =>
    imageId === undefined
      ? href("/s/:token/designs/:id/comments", { token, id })
      : href("/s/:token/images/:imageId/comments", { token, imageId }),
});
