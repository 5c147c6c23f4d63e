import { Minus, Plus, Scan } from "lucide";
import { clsx } from "clsx";
import { Button } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import type { Zoom } from "./use-zoom";

export function ZoomTools({ zoom }: { zoom: Zoom }) {
  const fittings = [
    ["fit", "Fit"],
    ["actual", "100%"],
    ["fill", "Fill"],
  ] as const;
  return (
    <div role="group" aria-label="Zoom" className="flex items-center gap-0.5 noscript:hidden">
      <Button variant="ghost" size="icon-sm" aria-label="Zoom out" onClick={() => zoom.step("out")}>
        <Icon of={Minus} />
      </Button>
      <output className="tabular w-12 text-center text-sm text-soft" aria-live="off" data-zoom>
        {zoom.percent === null ? "" : `${zoom.percent}%`}
      </output>
      <Button variant="ghost" size="icon-sm" aria-label="Zoom in" onClick={() => zoom.step("in")}>
        <Icon of={Plus} />
      </Button>
      {fittings.map(([fitting, label]) => (
        <Button
          key={fitting}
          variant="ghost"
          size="sm"
          aria-pressed={zoom.fitting === fitting}
          data-command={`Zoom: ${label}`}
          className={clsx("max-sm:px-1.5", zoom.fitting === fitting && "text-accent-text")}
          onClick={() => zoom.fit(fitting)}
        >
          {fitting === "fit" ? <Icon of={Scan} className="max-sm:hidden" /> : null}
          {label}
        </Button>
      ))}
    </div>
  );
}
