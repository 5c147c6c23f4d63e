import { bytesText } from "~/images/upload";
import { Meter } from "~/ui/meter";

type Stored = Record<"projects" | "designs" | "images" | "bytes", number>;

const KINDS = ["projects", "designs", "images", "bytes"] as const;
const LABELS = { projects: "Projects", designs: "Designs", images: "Images", bytes: "Storage" };
const number = new Intl.NumberFormat("en");

/** What the visitor has stored, against what their plan has room for; null: nothing is limited. */
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
            text={max === null ? amount(kind, value) : `${amount(kind, value)} of ${amount(kind, max)}`}
          />
        );
      })}
    </div>
  );
}

/** "1,204", "3.4 MB". */
export const amount = (kind: keyof Stored, value: number): string => (kind === "bytes" ? bytesText(value) : number.format(value));
