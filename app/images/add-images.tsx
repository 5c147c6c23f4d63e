import { ImagePlus } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { href } from "react-router";
import { addFiles, expectFiles } from "~/uploads/inlet";
import { Button, type ButtonLook, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { ACCEPT_ATTRIBUTE, ACCEPTED_NAMES } from "./accepted";
import { bytesText, UPLOAD_FIELDS } from "./upload";

const INPUT_ID = "add-images";

type AddImagesProps = {
  design: { _id: string; name: string };
  /** Names this form, so that sending it twice adds its files once. */
  sending: string;
  /** Bytes that one file may have. */
  maxBytes: number;
  /** Quiet where the page says the same in its middle. */
  look: ButtonLook;
};

/**
 * The form that adds images. Without scripts a multipart form that the page itself takes; with them each file leaves as soon as it is chosen
 * (`addFiles`). It stands once on the page; `AddImagesLabel` opens it from elsewhere.
 */
export function AddImages({ design: { _id: designId, name: designName }, sending, maxBytes, look }: AddImagesProps) {
  const input = useRef<HTMLInputElement>(null);

  function take() {
    if (!input.current?.files?.length) return;
    void addFiles({ designId, designName }, [...input.current.files]);
    // So that the same file can be chosen again.
    input.current.value = "";
  }
  // What was chosen before the scripts had come.
  useEffect(take, [designId, designName]);

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
        onFocus={expectFiles}
        onChange={take}
      />
      <label
        htmlFor={INPUT_ID}
        data-command=""
        onPointerEnter={expectFiles}
        className={buttonClass(
          { look },
          "noscript:order-first noscript:bg-transparent noscript:px-0 noscript:text-soft noscript:hover:bg-transparent",
        )}
      >
        <Icon of={ImagePlus} />
        Add images
      </label>
      <Button type="submit" look="primary" className="hidden noscript:inline-flex">
        Upload
      </Button>
      <label className="hidden items-center gap-2 text-sm text-soft noscript:flex">
        <input type="checkbox" name={UPLOAD_FIELDS.onlyNew} value="yes" defaultChecked />
        Skip images that are already here
      </label>
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
