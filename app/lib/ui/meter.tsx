import { clsx } from "clsx";

type MeterProps = {
  label: string;
  value: number;
  max: number | null;
  text: string;
};

export function Meter({ label, value, max, text }: MeterProps) {
  const full = max !== null && value >= max;
  return (
    <div className="grid content-start gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-soft">{label}</span>
        <span className={clsx("tabular", full && "font-medium text-accent-text")}>
          {text}
          {full ? ", full" : null}
        </span>
      </div>
      {max === null ? null : (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={max}
          aria-valuenow={Math.min(value, max)}
          aria-valuetext={text}
          className="h-1.5 overflow-hidden rounded-full bg-hover"
        >
          <div className="h-full rounded-full bg-accent-text" style={{ width: `${Math.min(100, (value / max) * 100)}%` }} />
        </div>
      )}
    </div>
  );
}
