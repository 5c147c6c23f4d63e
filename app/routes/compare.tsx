import { X } from "lucide-react";
import { Form, href, Link, useSubmit } from "react-router";
import { readCookie } from "~/accounts/cookies";
import { convexFor } from "~/data/convex.server";
import { notFoundResponse } from "~/data/refusals";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { COMPARE_MODES, compareAddress, type Compared, type CompareMode, read, written } from "~/images/compare-address";
import { Comparison } from "~/images/comparison";
import type { Version } from "~/images/versions";
import { Button, buttonClass } from "~/ui/button";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { choiceFrom, GROUND_COOKIE, GROUNDS } from "~/ui/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/compare";

export const meta: Route.MetaFunction = () => [{ title: "Compare · Atelier" }];

/** Without a second picture the first is compared with what came before it: its last version, or the image beside it. */
export async function loader({ request, url: { searchParams }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const a = read(searchParams.get("a"));
  if (!a) throw notFoundResponse();
  const [first, versions] = await Promise.all([
    convex.preload(api.versions.getImageVersion, a),
    convex.preload(api.versions.getVersions, { imageId: a.imageId }),
  ]);
  const b = read(searchParams.get("b")) ?? (await counterpart());
  const { designId } = first.value.image;
  const [second, images] = await Promise.all([
    convex.preload(api.versions.getImageVersion, b),
    convex.preload(api.designImages.getDesignImagesByDesignId, { designId }),
  ]);
  const otherVersions = b.imageId === a.imageId ? versions : await convex.preload(api.versions.getVersions, { imageId: b.imageId });
  return {
    a: { asked: a, preload: first, versions },
    b: { asked: b, preload: second, versions: otherVersions },
    images,
    mode: choiceFrom(COMPARE_MODES, searchParams.get("mode")),
    ground: choiceFrom(GROUNDS, readCookie(request.headers, GROUND_COOKIE)),
  };

  async function counterpart(): Promise<Compared> {
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
  const versions = { [a.asked.imageId]: useLive(a.versions), [b.asked.imageId]: useLive(b.versions) };
  const choices = choicesOf([...images, second.image], versions);
  const titleOf = ({ image, number }: typeof first) =>
    (versions[image._id]?.length ?? 0) > 0 ? `${image.name}, version ${number}` : image.name;
  const submit = useSubmit();
  return (
    <article aria-labelledby="compare-title" className="viewer">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-2 py-1.5 md:px-4">
        <Link
          to={href("/design/:id/images/:imageId", { id: first.image.designId, imageId: first.image._id })}
          prefetch="intent"
          aria-label="Close"
          data-tooltip="Close"
          className={buttonClass({ look: "ghost", size: "icon" })}
        >
          <Icon of={X} className="size-5" />
        </Link>
        <h1 id="compare-title" className="text-lg font-semibold">
          Compare
        </h1>
        <nav aria-label="How to compare" className="flex gap-0.5 overflow-x-auto rounded-md border bg-panel p-0.5 noscript:hidden">
          {COMPARE_MODES.map((each) => (
            <Link
              key={each}
              to={compareAddress(a.asked, b.asked, each)}
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
          <Picker name="a" label="First picture" value={written(a.asked)} choices={choices} />
          <Picker name="b" label="Second picture" value={written(b.asked)} choices={choices} />
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
        ground={loaderData.ground}
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
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** The images of the design, and of those that are compared the older versions too. */
function choicesOf(images: { _id: string; name: string }[], versions: Record<string, Version[]>): Choice[] {
  const named = new Map(images.map(({ _id, name }) => [_id, name]));
  return [...named].flatMap(([imageId, name]) => [
    { value: written({ imageId }), label: name },
    ...(versions[imageId] ?? []).map(({ _id, number }) => ({
      value: written({ imageId, versionId: _id }),
      label: `${name}, version ${number}`,
    })),
  ]);
}
