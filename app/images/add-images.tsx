import { ImagePlus } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { href } from "react-router";
import { Button, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { ACCEPT_ATTRIBUTE, ACCEPTED_NAMES } from "./accepted";
import { bytesText, UPLOAD_FIELDS } from "./upload";
import { documentUploads } from "./uploads";

const INPUT_ID = "add-images";

type AddImagesProps = {
  designId: string;
  /** Names this form, so that sending it twice adds its files once. */
  sending: string;
  /** Bytes that one file may have. */
  maxBytes: number;
};

/**
 * The form that adds images. Without scripts a multipart form that the page itself takes; with them each file leaves as soon as it is chosen
 * (`documentUploads`). It stands once on the page; `AddImagesLabel` opens it from elsewhere.
 */
export function AddImages({ designId, sending, maxBytes }: AddImagesProps) {
  const input = useRef<HTMLInputElement>(null);

  function take() {
    if (!input.current?.files?.length) return;
    documentUploads().add(designId, [...input.current.files], maxBytes);
    // So that the same file can be chosen again.
    input.current.value = "";
  }
  // What was chosen before the scripts had come.
  useEffect(take, [designId, maxBytes]);

  return (
    <form method="post" encType="multipart/form-data" action={href("/design/:id", { id: designId })} className="add-images">
      <input type="hidden" name={UPLOAD_FIELDS.sending} value={sending} />
      <input
        ref={input}
        id={INPUT_ID}
        type="file"
        name={UPLOAD_FIELDS.files}
        multiple
        accept={ACCEPT_ATTRIBUTE}
        aria-describedby={`${INPUT_ID}-hint`}
        onChange={take}
      />
      <label
        htmlFor={INPUT_ID}
        data-command=""
        className={buttonClass(
          { look: "primary" },
          "noscript:order-first noscript:bg-transparent noscript:px-0 noscript:text-soft noscript:hover:bg-transparent",
        )}
      >
        <Icon of={ImagePlus} />
        Add images
      </label>
      <Button type="submit" look="primary" className="hidden noscript:inline-flex">
        Upload
      </Button>
      <span id={`${INPUT_ID}-hint`} className="sr-only">
        {acceptedText(maxBytes)}
      </span>
    </form>
  );
}

/** Opens the file chooser from elsewhere on the page, for pointers; the keyboard finds the form itself. */
export function AddImagesLabel({ children }: { children: ReactNode }) {
  return (
    <label htmlFor={INPUT_ID} className={buttonClass({ look: "primary" }, "noscript:hidden")}>
      {children}
    </label>
  );
}

/** What may be added, in a sentence. */
export function acceptedText(maxBytes: number): string {
  return `${ACCEPTED_NAMES}, up to ${bytesText(maxBytes)} each.`;
}

/** Makes the whole page a place to drop files on, and says so while they hover over it. */
export function DropTarget({ designId, designName, maxBytes }: { designId: string; designName: string; maxBytes: number }) {
  const [over, setOver] = useState(false);

  useEffect(() => {
    // Every element that the pointer crosses is entered before the one before it is left.
    let depth = 0;
    const listening = new AbortController();
    const { signal } = listening;
    const on = (type: "dragenter" | "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) => {
      const ifFiles = (event: DragEvent) => {
        if (event.dataTransfer?.types.includes("Files")) handle(event);
      };
      window.addEventListener(type, ifFiles, { signal });
    };
    on("dragenter", () => setOver(++depth > 0));
    on("dragleave", () => setOver(--depth > 0));
    on("dragover", (event) => {
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    });
    on("drop", (event) => {
      event.preventDefault();
      depth = 0;
      setOver(false);
      documentUploads().add(designId, [...(event.dataTransfer?.files ?? [])], maxBytes);
    });
    return () => listening.abort();
  }, [designId, maxBytes]);

  if (!over) return null;
  return (
    <div className="drop-veil">
      <p className="max-w-[80vw] truncate rounded-md bg-raised px-4 py-2 text-lg font-medium">Drop to add to {designName}</p>
    </div>
  );
}
