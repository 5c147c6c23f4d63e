import { type CSSProperties, useState } from "react";
import { href, useNavigate } from "react-router";
import { isElsewhere } from "~/ui/keys";
import type { Ground } from "~/ui/preferences";
import type { CompareMode } from "./compare-address";
import { GroundChoice, useGround } from "./ground";
import type { DesignImage } from "./intents";
import { isDrawing, StagedPicture } from "./stage";
import { usePageKeys, useZoom, type Zoom, zoomByKey } from "./use-zoom";
import { ZoomTools } from "./zoom-tools";
import { boxWithin } from "./zoom";

type ComparisonProps = {
  /** What is looked at, and what it is called here. */
  a: { image: DesignImage; title: string };
  b: { image: DesignImage; title: string };
  mode: CompareMode;
  ground: Ground;
};

const SIZES = "(width < 768px) 100vw, 50vw";

/**
 * Two pictures that are zoomed and moved as one: side by side, or upon each other with a line to be drawn across, one shining through the other, or
 * what differs alone. Both fill the same box, so that a version with more pixels lies exactly upon one with fewer. Without scripts they
 * stand side by side.
 */
export function Comparison({ a, b, mode, ground: groundAtFirst }: ComparisonProps) {
  const zoom = useZoom({ picture: a.image, scalable: isDrawing(a.image) });
  const ground = useGround(groundAtFirst);
  const [share, setShare] = useState(50);
  const navigate = useNavigate();
  usePageKeys((event) => {
    if (event.key === "g") ground.next();
    else if (event.key === "Escape") void navigate(href("/design/:id/images/:imageId", { id: a.image.designId, imageId: a.image._id }));
    else return zoomByKey(event, zoom);
    return true;
  }, isElsewhere);

  const first = <StagedPicture image={a.image} zoom={zoom} sizes={SIZES} />;
  const second = <StagedPicture image={b.image} zoom={zoomOf(b.image, a.image, zoom)} sizes={SIZES} />;
  const larger = zoom.isLarger || undefined;
  return (
    <>
      {mode === "side" ? (
        <div key={mode} className="compare-pair">
          <figure>
            <figcaption>{a.title}</figcaption>
            <div ref={zoom.stage} data-ground={ground.ground} data-larger={larger} className="viewer-wall">
              {first}
            </div>
          </figure>
          <figure>
            <figcaption>{b.title}</figcaption>
            <div ref={zoom.stage} data-ground={ground.ground} data-larger={larger} className="viewer-wall">
              {second}
            </div>
          </figure>
        </div>
      ) : (
        <figure key={mode} className="compare-one">
          <figcaption className="flex justify-between gap-4">
            <span>{a.title}</span>
            <span>{b.title}</span>
          </figcaption>
          <div ref={zoom.stage} data-ground={ground.ground} data-larger={larger} className="viewer-wall compare-stage">
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
        <GroundChoice {...ground} />
      </div>
    </>
  );
}

function layerStyle(mode: CompareMode, share: number): CSSProperties {
  if (mode === "swipe") return { clipPath: `inset(0 0 0 ${share}%)` };
  return mode === "difference" ? { mixBlendMode: "difference" } : { opacity: share / 100 };
}

/** The zoom of what lies in another's box. */
function zoomOf(image: DesignImage, other: DesignImage, { box, magnification }: Zoom): Pick<Zoom, "box" | "magnification"> {
  if (box === null || magnification === null) return { box, magnification };
  const own = boxWithin(box, image);
  const density = (magnification * other.width) / box.width;
  return { box: own, magnification: (own.width / image.width) * density };
}
