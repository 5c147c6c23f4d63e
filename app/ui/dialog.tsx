import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button, type ButtonProps } from "./button";
import { Icon } from "./icon";
import { close, closesDialog, isShown, opensDialog, show } from "./invokers";

type DialogProps = {
  id: string;
  title: string;
  /**
   * An object: open, and rendered open by the server, so that an answer to a form that stands in here is seen without scripts; each new object
   * (say, each new refusal) opens it again. `false`: closed. Undefined: as its buttons and the visitor leave it.
   */
  open?: object | false | undefined;
  /** When the visitor closes it, by whatever means. */
  onClose?: () => void;
  children: ReactNode;
};

/**
 * A native dialog. `DialogButton` opens it with scripts and without; Escape, focus and the inert page behind it are the browser's. It is a
 * popover too, for browsers that know no invoker commands.
 */
export function Dialog({ id, title, open, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // Only what the server sent: from then on the element's own methods open and close it, and React must not touch the attribute. What the
  // browser renders is opened by those methods alone: standing open it would take the focus before they could note whom to give it back to.
  const fromServer = useSyncExternalStore(never, no, yes);
  const [openAtFirst] = useState(fromServer && Boolean(open));
  const closedByUs = useRef(false);

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open) show(dialog);
    else if (open === false && isShown(dialog)) {
      closedByUs.current = true;
      close(dialog);
    }
  }, [open]);

  return (
    <dialog
      ref={ref}
      id={id}
      open={openAtFirst || undefined}
      popover="auto"
      closedby="any"
      aria-labelledby={`${id}-title`}
      className="dialog"
      onClose={() => {
        if (!closedByUs.current) onClose?.();
        closedByUs.current = false;
      }}
    >
      <div className="mb-4 flex items-start justify-between gap-4">
        <h2 id={`${id}-title`} className="text-lg">
          {title}
        </h2>
        <Button look="ghost" size="icon-sm" aria-label="Close" className="-mt-1.5 -mr-2" {...closesDialog(id)}>
          <Icon of={X} />
        </Button>
      </div>
      {children}
    </dialog>
  );
}

const never = () => () => {};
const no = () => false;
const yes = () => true;

/** Opens the dialog with this id. */
export function DialogButton({ dialog, ...rest }: ButtonProps & { dialog: string }) {
  return <Button aria-haspopup="dialog" {...opensDialog(dialog)} {...rest} />;
}

/** Closes the dialog that it stands in. */
export function DialogCancel({ dialog, children = "Cancel", ...rest }: ButtonProps & { dialog: string }) {
  return (
    <Button {...closesDialog(dialog)} {...rest}>
      {children}
    </Button>
  );
}

/** The row of buttons at a dialog's foot: what it is for comes last, where the hand is. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>;
}
