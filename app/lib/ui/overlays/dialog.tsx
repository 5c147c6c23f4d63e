import { X } from "lucide";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button, type ButtonProps } from "../inputs/button";
import { Icon } from "../icons/icon";
import { close, closesDialog, isShown, opensDialog, show } from "./invokers";

type DialogProps = {
  id: string;
  title: string;
  /** Each new object opens it again, also in the server's HTML. `false`: closed. Undefined: controlled by buttons. */
  open?: object | false | undefined;
  onClose?: () => void;
  children: ReactNode;
};

export function Dialog({ id, title, open, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // React sets `open` only in the server's HTML: the element's own methods record where to return the focus.
  const fromServer = useSyncExternalStore(never, no, alwaysTrue);
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
      onClickCapture={(event) => {
        if (event.detail > 1 && event.target instanceof Element && event.target.closest("[type=submit]")) event.preventDefault();
      }}
      onSubmitCapture={(event) => {
        if (isShown(event.currentTarget)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onClose={() => {
        if (!closedByUs.current) onClose?.();
        closedByUs.current = false;
      }}
    >
      <div className="mb-4 flex items-start justify-between gap-4">
        <h2 id={`${id}-title`} className="text-lg">
          {title}
        </h2>
        <Button variant="ghost" size="icon-sm" aria-label="Close" className="-mt-1.5 -me-2" {...closesDialog(id)}>
          <Icon of={X} />
        </Button>
      </div>
      {children}
    </dialog>
  );
}

const never = () => () => {};
const no = () => false;
const alwaysTrue = () => true;

export function DialogButton({ dialog, ...rest }: ButtonProps & { dialog: string }) {
  return <Button aria-haspopup="dialog" {...opensDialog(dialog)} {...rest} />;
}

export function DialogCancel({ dialog, children = "Cancel", ...rest }: ButtonProps & { dialog: string }) {
  return (
    <Button {...closesDialog(dialog)} {...rest}>
      {children}
    </Button>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>;
}
