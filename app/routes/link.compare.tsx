import { readCookie } from "~/features/accounts/session/cookies";
import { COMPARE_MODES, parseCompared } from "~/features/images/viewer/compare-address";
import { ComparePage } from "~/features/images/viewer/compare-page";
import { unlockedLink } from "~/features/links/open-link.server";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { BACKGROUND_COOKIE, BACKGROUNDS, choiceFrom } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/link.compare";

export const meta: Route.MetaFunction = () => [{ title: "Compare · Atelier" }, { name: "robots", content: "noindex" }];

export async function loader({ request, url: { searchParams }, context }: Route.LoaderArgs) {
  await unlockedLink(context);
  const convex = convexFor(context);
  const a = parseCompared(searchParams.get("a"));
  if (!a) throw notFoundResponse();
  const inPlace = (await convex.preload(api.designImages.getDesignImageInPlace, { id: a.imageId })).value;
  const b = parseCompared(searchParams.get("b")) ?? { imageId: inPlace.next ?? inPlace.previous ?? a.imageId };
  const [first, second, images] = await Promise.all([
    convex.preload(api.versions.getImageVersion, a),
    convex.preload(api.versions.getImageVersion, b),
    convex.preload(api.designImages.getDesignImagesByDesignId, { designId: inPlace.image.designId }),
  ]);
  return {
    a,
    b,
    first,
    second,
    images,
    mode: choiceFrom(COMPARE_MODES, searchParams.get("mode")),
    background: choiceFrom(BACKGROUNDS, readCookie(request.headers, BACKGROUND_COOKIE)),
  };
}

export const shouldRevalidate = liveRevalidation;

const NO_VERSIONS = {};

export default function LinkCompare({ loaderData: { first, second, images, ...rest } }: Route.ComponentProps) {
  return <ComparePage {...rest} first={useLive(first)} second={useLive(second)} images={useLive(images)} versions={NO_VERSIONS} />;
}
