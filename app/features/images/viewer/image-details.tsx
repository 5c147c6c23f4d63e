import type { FunctionReturnType } from "convex/server";
import type { ReactNode } from "react";
import type { api } from "#convex/_generated/api";
import { ACCEPTED, isAcceptedType } from "../display/accepted-types";
import type { DesignImage } from "../gallery/image-intents";
import { isDrawing } from "./viewer-canvas";
import { bytesText } from "~/lib/ui/bytes-text";
import { Day } from "~/lib/ui/time/day";

export type Details = NonNullable<FunctionReturnType<typeof api.designImages.getDesignImageInPlace>["details"]>;

const number = new Intl.NumberFormat("en");
const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export function ImageDetails({ image, details }: { image: DesignImage; details: Details | undefined }) {
  const { width, height, size, contentType, animated, _creationTime } = image;
  const type = isAcceptedType(contentType) ? ACCEPTED[contentType].name : contentType;
  const exposure = details ? exposureText(details) : "";
  return (
    <dl className="tabular grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <Fact name="Dimensions">
        {number.format(width)} × {number.format(height)} {isDrawing(image) ? "units" : "px"}
      </Fact>
      <Fact name="Size">
        {bytesText(size)} <span className="text-faint">({number.format(size)} bytes)</span>
      </Fact>
      <Fact name="Type">{animated ? `${type}, animated` : type}</Fact>
      {details?.colourSpace ? <Fact name="Colours">{details.colourSpace}</Fact> : null}
      {details?.camera ? <Fact name="Camera">{details.camera}</Fact> : null}
      {details?.lens ? <Fact name="Lens">{details.lens}</Fact> : null}
      {exposure === "" ? null : <Fact name="Exposure">{exposure}</Fact>}
      {details?.hasPlace ? <Fact name="Location">Hidden (in the original file only)</Fact> : null}
      <Fact name="Added">
        <Day at={_creationTime} />
      </Fact>
      <Fact name="SHA-256">
        <code className="font-mono text-xs break-all">{image.checksum}</code>
      </Fact>
    </dl>
  );
}

export function exposureText({ exposureTime, aperture, iso, focalLength }: Omit<Details, "hasPlace">): string {
  const parts = [
    exposureTime && (exposureTime < 0.5 ? `1/${number.format(Math.round(1 / exposureTime))} s` : `${decimal.format(exposureTime)} s`),
    aperture && `ƒ/${decimal.format(aperture)}`,
    iso && `ISO ${iso}`,
    focalLength && `${decimal.format(focalLength)} mm`,
  ];
  return parts.filter(Boolean).join(", ");
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="text-ink wrap-anywhere">{children}</dd>
    </>
  );
}
