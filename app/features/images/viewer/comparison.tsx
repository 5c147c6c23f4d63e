import { type CSSProperties, useState } from "react";
import { useNavigate } from "react-router";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";
import type { Background } from "~/lib/ui/theme/preferences";
import type { CompareMode } from "./compare-address";
import { BackgroundPicker, useBackground } from "./background";
import type { DesignImage } from "../gallery/image-intents";
import { isDrawing, ViewerImage } from "./viewer-canvas";
import { usePageKeys } from "~/lib/ui/inputs/use-page-keys";
import { useZoom, type Zoom, zoomByKey } from "./use-zoom";
import { ZoomTools } from "./zoom-tools";
import { boxWithin } from "./zoom";

type ComparisonProps = {
  a: { image: DesignImage; title: string };
  b: { image: DesignImage; title: string };
  mode: CompareMode;
  background: Background;
};

const SIZES = "(width < 768px) 100vw, 50vw";

export function Comparison({ a, b, mode, background: initialBackground }: ComparisonProps) {
  const zoom = useZoom({ picture: a.image, scalable: isDrawing(a.image) });
  const background = useBackground(initialBackground);
  const [share, setShare] = useState(50);
  const navigate = useNavigate();
  const addresses = useItemAddresses();
  usePageKeys((event) => {
    const key = pressedKey(event);
    if (key === "g") background.next();
    else if (key === "Escape") void navigate(addresses.image(a.image.designId, a.image._id));
    else return zoomByKey(event, zoom);
    return true;
  }, isElsewhere);

  const first = <ViewerImage image={a.image} zoom={zoom} sizes={SIZES} />;
  const second = <ViewerImage image={b.image} zoom={zoomOf(b.image, a.image, zoom)} sizes={SIZES} />;
  const larger = zoom.isLarger || undefined;
  return (
    <>
      {mode === "side" ? (
        <div key={mode} className="compare-pair">
          <figure>
            <figcaption dir="auto">{a.title}</figcaption>
            <div ref={zoom.stage} data-background={background.background} data-larger={larger} className="viewer-backdrop">
              {first}
            </div>
          </figure>
          <figure>
            <figcaption dir="auto">{b.title}</figcaption>
            <div ref={zoom.stage} data-background={background.background} data-larger={larger} className="viewer-backdrop">
              {second}
            </div>
          </figure>
        </div>
      ) : (
        <figure key={mode} className="compare-figure">
          <figcaption className="flex justify-between gap-4">
            <span dir="auto">{a.title}</span>
            <span dir="auto">{b.title}</span>
          </figcaption>
          <div ref={zoom.stage} data-background={background.background} data-larger={larger} className="viewer-backdrop compare-stage">
            <div className="compare-layer">{first}</div>
            <div className="compare-layer" style={layerStyle(mode, share)}>
              {second}
            </div>
            {mode === "swipe" ? <div aria-hidden="true" className="compare-line" style={{ left: `${share}%` }} /> : null}
          </div>
        </figure>
      )}
      <div className="viewer-tools">
        {mode === "swipe" || mode === "overlay" ? (
          <label className="flex items-center gap-2 text-sm text-soft noscript:hidden">
            {mode === "swipe" ? "Line" : "Opacity"}
            <input
              type="range"
              dir="ltr"
              min={0}
              max={100}
              value={share}
              aria-valuetext={`${share}%`}
              className="w-32 accent-accent-text md:w-56"
              onChange={(event) => setShare(event.currentTarget.valueAsNumber)}
            />
          </label>
        ) : null}
        <ZoomTools zoom={zoom} />
        <BackgroundPicker {...background} />
      </div>
    </>
  );
}

function layerStyle(mode: CompareMode, share: number): CSSProperties {
  if (mode === "swipe") return { clipPath: `inset(0 0 0 ${share}%)` };
  return mode === "difference" ? { mixBlendMode: "difference" } : { opacity: share / 100 };
}

function zoomOf(image: DesignImage, other: DesignImage, { box, magnification }: Zoom): Pick<Zoom, "box" | "magnification"> {
  if (box === null || magnification === null) return { box, magnification };
  const own = boxWithin(box, image);
  const density = (magnification * other.width) / box.width;
  return { box: own, magnification: (own.width / image.width) * density };
}
