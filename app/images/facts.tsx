import type { FunctionReturnType } from "convex/server";
import type { ReactNode } from "react";
import type { api } from "#convex/_generated/api";
import { ACCEPTED, isAcceptedType } from "./accepted";
import type { DesignImage } from "./intents";
import { isDrawing } from "./stage";
import { bytesText } from "./upload";

export type Details = NonNullable<FunctionReturnType<typeof api.designImages.getDesignImageInPlace>["details"]>;

const number = new Intl.NumberFormat("en");
const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** What a file is, and what its camera wrote down. Where it was taken is told to nobody, but that the original says so is. */
export function Facts({ image, details }: { image: DesignImage; details: Details | undefined }) {
  const { width, height, size, contentType, animated, _creationTime } = image;
  const type = isAcceptedType(contentType) ? ACCEPTED[contentType].name : contentType;
  const added = new Date(_creationTime);
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
      {details?.hasPlace ? <Fact name="Place">In the original file only; shown to nobody</Fact> : null}
      <Fact name="Added">
        <time dateTime={added.toISOString()} suppressHydrationWarning>
          {new Intl.DateTimeFormat("en", { dateStyle: "long" }).format(added)}
        </time>
      </Fact>
      <Fact name="SHA-256">
        <code className="font-mono text-xs break-all">{image.checksum}</code>
      </Fact>
    </dl>
  );
}

/** "1/250 s, ƒ/2.8, ISO 400, 50 mm", as far as it is known. */
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
