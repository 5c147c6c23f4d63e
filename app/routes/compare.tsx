import { isolate } from "~/lib/ui/isolate";
import { X } from "lucide-react";
import { Form, href, useSubmit } from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import {
  COMPARE_MODES,
  compareAddress,
  type ComparedImage,
  type CompareMode,
  parseCompared,
  formatCompared,
} from "~/features/images/viewer/compare-address";
import { Comparison } from "~/features/images/viewer/comparison";
import type { Version } from "~/features/images/viewer/versions";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { clsx } from "clsx";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { choiceFrom, BACKGROUND_COOKIE, BACKGROUNDS } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/compare";

export const meta: Route.MetaFunction = () => [{ title: "Compare · Atelier" }];

/** Without a second picture, compares with the previous version or the adjacent image. */
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

const MODES: Record<CompareMode, string> = { side: "Side by side", swipe: "Swipe", overlay: "Overlay", difference: "Difference" };

export default function Compare({ loaderData }: Route.ComponentProps) {
  const { a, b, mode } = loaderData;
  const first = useLive(a.preload);
  const second = useLive(b.preload);
  const images = useLive(loaderData.images);
  const versions = { [a.image.imageId]: useLive(a.versions), [b.image.imageId]: useLive(b.versions) };
  const choices = choicesOf([...images, second.image], versions);
  const titleOf = ({ image, number }: typeof first) =>
    (versions[image._id]?.length ?? 0) > 0 ? `${isolate(image.name)}, version ${number}` : image.name;
  const submit = useSubmit();
  return (
    <article aria-labelledby="compare-title" className="viewer">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-2 py-1.5 md:px-4">
        <Link
          to={href("/design/:id/images/:imageId", { id: first.image.designId, imageId: first.image._id })}
          prefetch="intent"
          aria-label="Close"
          data-tooltip="Close"
          className={buttonClass({ variant: "ghost", size: "icon" })}
        >
          <Icon of={X} className="size-5" />
        </Link>
        <h1 id="compare-title" className="text-lg font-semibold">
          Compare
        </h1>
        <nav aria-label="Comparison mode" className="flex gap-0.5 overflow-x-auto rounded-md border bg-panel p-0.5 noscript:hidden">
          {COMPARE_MODES.map((each) => (
            <Link
              key={each}
              to={compareAddress(a.image, b.image, each)}
              prefetch="intent"
              replace
              preventScrollReset
              aria-current={each === mode ? "page" : undefined}
              className={clsx(
                "grid items-center rounded-sm px-2.5 py-1 text-sm whitespace-nowrap hover:text-ink pointer-coarse:min-h-11",
                each === mode ? "bg-hover text-accent-text" : "text-soft",
              )}
            >
              {MODES[each]}
            </Link>
          ))}
        </nav>
        <Form
          method="get"
          replace
          onChange={(event) => void submit(event.currentTarget, { replace: true, preventScrollReset: true })}
          className="flex min-w-0 flex-1 basis-full items-center justify-end gap-2 md:basis-0"
        >
          <Picker name="a" label="First image" value={formatCompared(a.image)} choices={choices} />
          <Picker name="b" label="Second image" value={formatCompared(b.image)} choices={choices} />
          {mode === "side" ? null : <input type="hidden" name="mode" value={mode} />}
          <Button type="submit" size="sm" className="hidden noscript:inline-flex">
            Compare
          </Button>
        </Form>
      </header>
      <Comparison
        key={first.image._id}
        a={{ image: first.image, title: titleOf(first) }}
        b={{ image: second.image, title: titleOf(second) }}
        mode={mode}
        background={loaderData.background}
      />
    </article>
  );
}

type Choice = { value: string; label: string };

function Picker({ name, label, value, choices }: { name: string; label: string; value: string; choices: Choice[] }) {
  return (
    <select
      key={value}
      name={name}
      aria-label={label}
      defaultValue={value}
      className="h-8 min-w-0 flex-1 truncate md:max-w-64 rounded-md border border-edge bg-card px-2 text-sm pointer-coarse:h-11"
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} dir="auto">
          {choice.label}
        </option>
      ))}
    </select>
  );
}

function choicesOf(images: { _id: string; name: string }[], versions: Record<string, Version[]>): Choice[] {
  const named = new Map(images.map(({ _id, name }) => [_id, name]));
  return [...named].flatMap(([imageId, name]) => [
    { value: formatCompared({ imageId }), label: name },
    ...(versions[imageId] ?? []).map(({ _id, number }) => ({
      value: formatCompared({ imageId, versionId: _id }),
      label: `${isolate(name)}, version ${number}`,
    })),
  ]);
}
