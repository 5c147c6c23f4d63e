import { type ReactNode, useId } from "react";
import { href, useLocation } from "react-router";

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
      <div role="group" aria-labelledby={labelId} className="segments w-max">
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
