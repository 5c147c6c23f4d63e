import { clsx } from "clsx";
import { X } from "lucide";
import { Form, useSubmit } from "react-router";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { isolate } from "~/lib/ui/isolate";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import type { Background } from "~/lib/ui/theme/preferences";
import type { DesignImage } from "../gallery/image-intents";
import { COMPARE_MODES, compareAddress, type ComparedImage, type CompareMode, formatCompared } from "./compare-address";
import { Comparison } from "./comparison";
import type { Version } from "./versions";

type Shown = { image: DesignImage; number: number };

type ComparePageProps = {
  a: ComparedImage;
  b: ComparedImage;
  first: Shown;
  second: Shown;
  images: DesignImage[];
  versions: Record<string, Version[]>;
  mode: CompareMode;
  background: Background;
};

const MODES: Record<CompareMode, string> = { side: "Side by side", swipe: "Swipe", overlay: "Overlay", difference: "Difference" };

export function ComparePage({ a, b, first, second, images, versions, mode, background }: ComparePageProps) {
  const addresses = useItemAddresses();
  const choices = choicesOf([...images, second.image], versions);
  const titleOf = ({ image, number }: Shown) =>
    (versions[image._id]?.length ?? 0) > 0 ? `${isolate(image.name)}, version ${number}` : image.name;
  const submit = useSubmit();
  return (
    <article aria-labelledby="compare-title" className="viewer">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-2 py-1.5 md:px-4">
        <Link
          to={addresses.image(first.image.designId, first.image._id)}
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
              to={compareAddress(a, b, each, addresses.compare)}
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
          <Picker name="a" label="First image" value={formatCompared(a)} choices={choices} />
          <Picker name="b" label="Second image" value={formatCompared(b)} choices={choices} />
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
        background={background}
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
