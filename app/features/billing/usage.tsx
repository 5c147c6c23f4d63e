import { bytesText } from "~/lib/ui/bytes-text";
import { Meter } from "~/lib/ui/meter";

type Stored = Record<"projects" | "designs" | "images" | "bytes", number>;

const KINDS = ["projects", "designs", "images", "bytes"] as const;
const LABELS = { projects: "Projects", designs: "Designs", images: "Images", bytes: "Storage" };
const number = new Intl.NumberFormat("en");

export function Usage({ usage, limits }: { usage: Stored; limits: Record<keyof Stored, number | null> | null }) {
  return (
    <div className="grid gap-x-10 gap-y-5 border-t pt-6 sm:grid-cols-2">
      {KINDS.map((kind) => {
        const [value, max] = [usage[kind], limits?.[kind] ?? null];
        return (
          <Meter
            key={kind}
            label={LABELS[kind]}
            value={value}
            max={max}
            text={max === null ? formatAmount(kind, value) : `${formatAmount(kind, value)} of ${formatAmount(kind, max)}`}
          />
        );
      })}
    </div>
  );
}

export const formatAmount = (kind: keyof Stored, value: number): string => (kind === "bytes" ? bytesText(value) : number.format(value));
