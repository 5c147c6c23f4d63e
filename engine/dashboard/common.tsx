import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { useAction } from "./hooks.ts";

export function ErrorMessage({ text }: { text: string | null }) {
  return (
    <div role="alert" className="error" hidden={text === null}>
      {text}
    </div>
  );
}

type DialogProps = { title: string; onClose: () => void; isDirty?: boolean; children: ReactNode };

/** A modal dialog. With unsaved changes, Escape does not close it. */
export function Dialog({ title, onClose, isDirty = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [isKept, setKept] = useState(false);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const leave = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isDirty) setKept(true);
    else onClose();
  };
  return (
    // Browsers close a dialog without `cancel` after a second Escape.
    <dialog
      ref={element}
      aria-labelledby={heading}
      onKeyDown={(event) => event.key === "Escape" && leave(event)}
      onCancel={leave}
      onClose={() => element.current?.showModal()}
    >
      <h2 id={heading}>{title}</h2>
      {children}
      <p role="status">{isKept ? "You have unsaved changes: save or discard them." : ""}</p>
    </dialog>
  );
}

type ActionFormProps = {
  label?: string;
  className?: string;
  resets?: boolean;
  action: (form: FormData) => Promise<unknown>;
  children: ReactNode;
};

/** A form that runs an action and shows its error. `resets`: clears the fields after success. */
export function ActionForm({ label, className, resets = false, action, children }: ActionFormProps) {
  const { error, run } = useAction();
  return (
    <form
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void run(() => action(new FormData(form))).then((isDone) => isDone && resets && form.reset());
      }}
    >
      {children}
      <ErrorMessage text={error} />
    </form>
  );
}

type ConfirmProps = { label: string; question: string; disabled?: boolean; action: () => Promise<unknown> };

export function ConfirmButton({ label, question, disabled = false, action }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const { error, run } = useAction();
  return (
    <>
      <button type="button" className="danger" disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <p>{question}</p>
          <ErrorMessage text={error} />
          <div className="actions">
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="button" className="danger" onClick={() => void run(action).then((isDone) => isDone && setOpen(false))}>
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

type Row = { key: string; cells: ReactNode[] };
type DataTableProps = {
  label: string;
  columns: string[];
  rows: Row[];
  empty: string;
  selection?: { selected: ReadonlySet<string>; onChange: (selected: ReadonlySet<string>) => void };
};

export function DataTable({ label, columns, rows, empty, selection }: DataTableProps) {
  const toggle = (key: string) => selection?.onChange(new Set(selection.selected).symmetricDifference(new Set([key])));
  const areAllSelected = rows.length > 0 && rows.every(({ key }) => selection?.selected.has(key));
  if (rows.length === 0) return <p>{empty}</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Scrollable regions must be reachable by keyboard.
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Select all of this page"
                  checked={areAllSelected}
                  onChange={() => selection.onChange(new Set(areAllSelected ? [] : rows.map(({ key }) => key)))}
                />
              </th>
            )}
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {selection && (
                <td>
                  <input type="checkbox" aria-label={`Select ${key}`} checked={selection.selected.has(key)} onChange={() => toggle(key)} />
                </td>
              )}
              {cells.map((cell, i) => (
                <td key={columns[i]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
