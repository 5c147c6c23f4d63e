import { type ReactNode, useId } from "react";
import { href, useLocation } from "react-router";
import { clsx } from "clsx";

type SegmentedControlProps<Value extends string> = {
  name: string;
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; icon: ReactNode }[];
  onChoose: (value: Value) => void;
  className?: string;
};

export function SegmentedControl<Value extends string>({ name, label, value, options, onChoose, className }: SegmentedControlProps<Value>) {
  const labelId = useId();
  const { pathname, search } = useLocation();
  return (
    <form method="post" action={href("/preferences")} className={className}>
      <span id={labelId} className="sr-only">
        {label}
      </span>
      <input type="hidden" name="back" value={pathname + search} />
      <div role="group" aria-labelledby={labelId} className="flex w-max gap-0.5 rounded-md border bg-panel p-0.5">
        {options.map((option) => (
          <button
            key={option.value}
            type="submit"
            name={name}
            value={option.value}
            aria-label={option.label}
            title={option.label}
            aria-pressed={option.value === value}
            data-command={`${label}: ${option.label}`}
            className={clsx(
              "grid size-7 cursor-pointer place-items-center rounded-sm hover:text-ink pointer-coarse:size-11",
              option.value === value ? "bg-hover text-accent-text" : "text-faint",
            )}
            onClick={(event) => {
              event.preventDefault();
              onChoose(option.value);
            }}
          >
            {option.icon}
          </button>
        ))}
      </div>
    </form>
  );
}
