import type { FunctionReturnType } from "convex/server";
import { ArrowLeftRight, Download, Upload } from "lucide";
import { useEffect, useRef } from "react";
import { href, useFetcher } from "react-router";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { useMay } from "~/lib/rights/rights";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { clsx } from "clsx";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { api } from "#convex/_generated/api";
import { ACCEPT_ATTRIBUTE } from "../display/accepted-types";
import { originalAddress } from "../display/image-address";
import { compareAddress } from "./compare-address";
import type { DesignImage } from "../gallery/image-intents";
import { Picture } from "../display/picture";
import { useUploadAhead } from "~/features/uploads/client/transfer/use-upload-ahead";
import { isUploadAnswer, UPLOAD_FIELDS, type UploadAnswer } from "~/features/uploads/upload-result";
import { bytesText } from "~/lib/ui/bytes-text";

export type Version = FunctionReturnType<typeof api.versions.getVersions>[number];

type VersionsProps = {
  image: DesignImage;
  versions: Version[];
  /** Identifies the form, so that sending it twice adds one version. */
  sending: string;
  answer: UploadAnswer | undefined;
};

export function Versions({ image, versions, sending, answer }: VersionsProps) {
  const mayEdit = useMay()("edit");
  if (versions.length === 0 && !mayEdit) return null;
  return (
    <section aria-label="Versions" className="grid gap-3">
      <h2 className="text-lg">Versions</h2>
      {versions.length === 0 ? (
        <p className="text-sm text-soft">No earlier versions. A new version replaces this one, which stays in the history.</p>
      ) : (
        <ol reversed className="grid gap-3">
          {versions.map((version) => (
            <VersionRow key={version._id} image={image} version={version} />
          ))}
        </ol>
      )}
      {mayEdit ? <NewVersion key={image._id} image={image} sending={sending} answer={answer} /> : null}
    </section>
  );
}

function VersionRow({ image, version }: { image: DesignImage; version: Version }) {
  const { _id, number, author, addedAt, size, isCurrent } = version;
  const state = useIntentForm({ id: `current-${_id}`, intent: "makeCurrent" });
  const title = `Version ${number}`;
  const mayRestore = useMay()("edit");
  return (
    <li className="flex gap-3" aria-current={isCurrent || undefined}>
      <Picture
        image={{ ...version, imageId: image._id, versionId: _id }}
        alt=""
        sizes="56px"
        className="size-14 shrink-0 rounded-sm bg-mat object-cover"
      />
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <strong className="font-medium">{title}</strong>
          {isCurrent ? <span className="text-sm text-accent-text">Current</span> : null}
        </p>
        <p className="text-sm text-faint">
          {author === null ? null : `${author}, `}
          <RelativeTime at={addedAt} />, {bytesText(size)}
        </p>
        <div className={clsx("flex flex-wrap items-center gap-1", isCurrent && "-ms-2")}>
          {isCurrent || !mayRestore ? null : (
            <IntentForm state={state} hidden={{ imageId: image._id, versionId: _id }}>
              <Button type="submit" size="sm" aria-label={`Restore version ${number}`}>
                Restore
              </Button>
            </IntentForm>
          )}
          {isCurrent ? null : (
            <Link
              to={compareAddress({ imageId: image._id, versionId: _id }, { imageId: image._id })}
              prefetch="intent"
              aria-label={`Compare version ${number} with the current version`}
              data-tooltip="Compare"
              className={buttonClass({ variant: "ghost", size: "icon-sm" })}
            >
              <Icon of={ArrowLeftRight} />
            </Link>
          )}
          <a
            href={originalAddress(image._id, { versionId: _id, rotation: version.rotation })}
            download
            aria-label={`Download version ${number}`}
            data-tooltip="Download"
            className={buttonClass({ variant: "ghost", size: "icon-sm" })}
          >
            <Icon of={Download} />
          </a>
        </div>
      </div>
    </li>
  );
}

const INPUT_ID = "new-version";

function NewVersion({ image, sending, answer: fromPage }: { image: DesignImage; sending: string; answer: UploadAnswer | undefined }) {
  const fetcher = useFetcher<unknown>({ key: `version-${image._id}` });
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const sent = useRef(0);
  const action = href("/design/:id/images/:imageId", { id: image.designId, imageId: image._id });
  const ahead = useUploadAhead();
  const busy = ahead.isUploading || fetcher.state !== "idle";
  const answer = isUploadAnswer(fetcher.data) ? fetcher.data : fromPage;
  const problem = ahead.problem ?? answer?.problem ?? answer?.results.map((result) => (result.ok ? null : result.problem)).find(Boolean);

  function send() {
    if (!form.current || !input.current?.files?.length) return;
    const file = new FormData(form.current);
    // Each selection has its own id, so that only a network retry repeats one.
    file.set(UPLOAD_FIELDS.sending, `${sending}-${++sent.current}`);
    input.current.value = "";
    void ahead.uploadFirst(file, UPLOAD_FIELDS.files, { for: "version", design: image.designId }).then((isReady) => {
      if (isReady) void fetcher.submit(file, { method: "post", encType: "multipart/form-data", action });
    });
  }
  const sendNow = useRef(send);
  useEffect(() => sendNow.current(), []);

  return (
    <fetcher.Form ref={form} method="post" encType="multipart/form-data" action={action} className="add-images">
      <input type="hidden" name={UPLOAD_FIELDS.sending} value={sending} />
      <input
        ref={input}
        id={INPUT_ID}
        type="file"
        name={UPLOAD_FIELDS.files}
        accept={ACCEPT_ATTRIBUTE}
        disabled={busy}
        aria-describedby={`${INPUT_ID}-problem`}
        onChange={send}
      />
      <label htmlFor={INPUT_ID} className={buttonClass({ variant: "quiet" }, "noscript:order-first")}>
        <Icon of={Upload} />
        {busy ? "Uploading version" : "Upload new version"}
      </label>
      <Button type="submit" className="hidden noscript:inline-flex">
        Upload
      </Button>
      <p id={`${INPUT_ID}-problem`} role="alert" className="basis-full text-sm text-danger-text empty:hidden">
        {busy ? null : problem}
      </p>
    </fetcher.Form>
  );
}
