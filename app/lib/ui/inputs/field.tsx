import type { ReactNode } from "react";
import { clsx } from "clsx";

type FieldProps = {
  htmlFor: string;
  label: string;
  errorId: string;
  errors?: readonly string[] | undefined;
  hint?: ReactNode;
  hintId?: string;
  hideLabel?: boolean;
  className?: string;
  children: ReactNode;
};

/** The error's live region exists from the start, so that screen readers announce a later message. */
export function Field({ htmlFor, label, errorId, errors, hint, hintId, hideLabel, className, children }: FieldProps) {
  const refused = errors !== undefined && errors.length > 0;
  return (
    <div className={clsx("grid content-start gap-1.5", className)}>
      <label htmlFor={htmlFor} className={hideLabel ? "sr-only" : "text-sm font-medium text-soft"}>
        {label}
      </label>
      {children}
      <FieldErrors id={errorId} errors={errors} />
      {hint && !refused ? (
        <p id={hintId} className="text-sm text-faint">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

export function FieldErrors({ id, errors, className }: { id: string; errors?: readonly string[] | undefined; className?: string }) {
  return (
    <div id={id} role="alert" className={clsx("text-sm text-danger-text empty:hidden", className)}>
      {errors?.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
