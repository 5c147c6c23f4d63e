import type { ReactNode } from "react";
import { clsx } from "clsx";

type FieldProps = {
  /** The control's id. */
  htmlFor: string;
  label: string;
  /** Id of the message, for the control's `aria-describedby`. */
  errorId: string;
  errors?: readonly string[] | undefined;
  /** Stands under the control as long as there is no message; give the control `aria-describedby={hintId}` to have it read. */
  hint?: ReactNode;
  hintId?: string;
  /** For a field whose place says what it is: the label is there for those who do not see it. */
  hideLabel?: boolean;
  className?: string;
  children: ReactNode;
};

/**
 * A control with its label and its message. The message's place is there from the start and is a live region, so that a refusal is announced
 * when it arrives, and read with the field whenever it is entered.
 */
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

/** The messages of one field, or of a whole form. */
export function FieldErrors({ id, errors, className }: { id: string; errors?: readonly string[] | undefined; className?: string }) {
  return (
    <div id={id} role="alert" className={clsx("text-sm text-danger-text empty:hidden", className)}>
      {errors?.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
