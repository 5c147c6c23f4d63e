import { readCookie } from "~/features/accounts/session/cookies";
import { COMPARE_MODES, type ComparedImage, parseCompared } from "~/features/images/viewer/compare-address";
import { ComparePage } from "~/features/images/viewer/compare-page";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { choiceFrom, BACKGROUND_COOKIE, BACKGROUNDS } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/compare";

export const meta: Route.MetaFunction = () => [{ title: "Compare · Atelier" }];

export async function loader({ request, url: { searchParams }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const a = parseCompared(searchParams.get("a"));
  if (!a) throw notFoundResponse();
  const [first, versions] = await Promise.all([
    convex.preload(api.versions.getImageVersion, a),
    convex.preload(api.versions.getVersions, { imageId: a.imageId }),
  ]);
  const b = parseCompared(searchParams.get("b")) ?? (await counterpart());
  const { designId } = first.value.image;
  const [second, images] = await Promise.all([
    convex.preload(api.versions.getImageVersion, b),
    convex.preload(api.designImages.getDesignImagesByDesignId, { designId }),
  ]);
  const otherVersions = b.imageId === a.imageId ? versions : await convex.preload(api.versions.getVersions, { imageId: b.imageId });
  return {
    a: { image: a, preload: first, versions },
    b: { image: b, preload: second, versions: otherVersions },
    images,
    mode: choiceFrom(COMPARE_MODES, searchParams.get("mode")),
    background: choiceFrom(BACKGROUNDS, readCookie(request.headers, BACKGROUND_COOKIE)),
  };

  async function counterpart(): Promise<ComparedImage> {
    const imageId = a?.imageId ?? "";
    const older = versions.value.find(({ isCurrent }) => !isCurrent);
    if (older) return { imageId, versionId: older._id };
    const { next, previous } = (await convex.preload(api.designImages.getDesignImageInPlace, { id: imageId })).value;
    return { imageId: next ?? previous ?? imageId };
  }
}

export const shouldRevalidate = liveRevalidation;

export default function Compare({ loaderData: { a, b, mode, background, ...loaderData } }: Route.ComponentProps) {
  const versions = { [a.image.imageId]: useLive(a.versions), [b.image.imageId]: useLive(b.versions) };
  return (
    <ComparePage
      a={a.image}
      b={b.image}
      first={useLive(a.preload)}
      second={useLive(b.preload)}
      images={useLive(loaderData.images)}
      versions={versions}
      mode={mode}
      background={background}
    />
  );
}
