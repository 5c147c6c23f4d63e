import { ImagePlus } from "lucide";
import { clsx } from "clsx";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { href, useNavigate } from "react-router";
import { addFiles, expectFiles } from "../lazy-uploader";
import { useMay } from "~/lib/rights/rights";
import { Button, type ButtonVariant, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { ACCEPT_ATTRIBUTE, ACCEPTED_NAMES } from "~/features/images/display/accepted-types";
import { addToNewProject } from "./new-project";
import { formLimitText, UPLOAD_FIELDS } from "../../upload-result";
import { bytesText } from "~/lib/ui/bytes-text";

const INPUT_ID = "add-images";

type AddImagesProps = {
  sending: string;
  maxBytes: number;
  /** Maximum bytes of a request that the reverse proxy accepts; null if no limit is known. */
  requestLimit: number | null;
  variant: ButtonVariant;
};

export function AddImages({
  design: { _id: designId, name: designName },
  ...rest
}: AddImagesProps & { design: { _id: string; name: string } }) {
  const add = useCallback((files: File[]) => void addFiles({ designId, designName }, files), [designId, designName]);
  const mayUpload = useMay()("edit");
  return mayUpload ? <AddImagesForm action={href("/design/:id", { id: designId })} add={add} isCompact {...rest} /> : null;
}

export function AddFirstImages(props: AddImagesProps) {
  const navigate = useNavigate();
  const add = useCallback((files: File[]) => void addToNewProject({ files, folder: null }, navigate), [navigate]);
  return <AddImagesForm action={href("/projects")} add={add} {...props} />;
}

type FormProps = AddImagesProps & {
  action: string;
  add: (files: File[]) => void;
  isCompact?: boolean;
};

function AddImagesForm({ action, add, isCompact = false, sending, maxBytes, requestLimit, variant }: FormProps) {
  const input = useRef<HTMLInputElement>(null);

  const addSelected = useCallback(() => {
    if (!input.current?.files?.length) return;
    add([...input.current.files]);
    input.current.value = "";
  }, [add]);
  useEffect(addSelected, [addSelected]);

  return (
    <form method="post" encType="multipart/form-data" action={action} className="add-images">
      <input type="hidden" name={UPLOAD_FIELDS.sending} value={sending} />
      <input
        ref={input}
        id={INPUT_ID}
        type="file"
        name={UPLOAD_FIELDS.files}
        multiple
        accept={ACCEPT_ATTRIBUTE}
        aria-describedby={`${INPUT_ID}-hint ${INPUT_ID}-limit`}
        onFocus={expectFiles}
        onChange={addSelected}
      />
      <label
        htmlFor={INPUT_ID}
        data-command=""
        onPointerEnter={expectFiles}
        className={buttonClass(
          { variant },
          clsx(
            "noscript:order-first noscript:bg-transparent noscript:px-0 noscript:text-soft noscript:hover:bg-transparent",
            isCompact && "max-sm:not-noscript:w-9 max-sm:not-noscript:px-0 max-sm:not-noscript:pointer-coarse:w-11",
          ),
        )}
      >
        <Icon of={ImagePlus} />
        <span className={clsx(isCompact && "max-sm:not-noscript:sr-only")}>Add images</span>
      </label>
      <Button type="submit" variant="primary" className="hidden noscript:inline-flex">
        Upload
      </Button>
      <label className="hidden items-center gap-2 text-sm text-soft noscript:flex">
        <input type="checkbox" name={UPLOAD_FIELDS.onlyNew} value="yes" defaultChecked />
        Skip duplicates
      </label>
      <span id={`${INPUT_ID}-hint`} className="sr-only">
        {acceptedText(maxBytes)}
      </span>
      {requestLimit === null ? null : (
        <span id={`${INPUT_ID}-limit`} className="hidden text-sm text-soft noscript:inline">
          {formLimitText(requestLimit)}
        </span>
      )}
    </form>
  );
}

export function AddImagesLabel({ children }: { children: ReactNode }) {
  if (!useMay()("edit")) return null;
  return (
    <label htmlFor={INPUT_ID} className={buttonClass({ variant: "primary" }, "noscript:hidden")}>
      {children}
    </label>
  );
}

export function acceptedText(maxBytes: number): string {
  return `${ACCEPTED_NAMES}, up to ${bytesText(maxBytes)} each.`;
}
