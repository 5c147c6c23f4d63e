import type { FunctionReturnType } from "convex/server";
import { ArrowLeftRight, Download, Upload } from "lucide-react";
import { useEffect, useRef } from "react";
import { href, Link, useFetcher } from "react-router";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { Button, buttonClass } from "~/ui/button";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { RelativeTime } from "~/ui/relative-time";
import type { api } from "#convex/_generated/api";
import { ACCEPT_ATTRIBUTE } from "./accepted";
import { originalAddress } from "./address";
import { compareAddress } from "./compare-address";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";
import { bytesText, isUploadAnswer, UPLOAD_FIELDS, type UploadAnswer } from "./upload";

export type Version = FunctionReturnType<typeof api.versions.getVersions>[number];

type VersionsProps = {
  image: DesignImage;
  versions: Version[];
  /** Names the form of the next one, so that sending it twice adds it once. */
  sending: string;
  /** What became of one that was sent without scripts. */
  answer: UploadAnswer | undefined;
};

/** An image's history: who added which version when, each to be had, compared, and made current again; and the form for the next one. */
export function Versions({ image, versions, sending, answer }: VersionsProps) {
  return (
    <section aria-label="Versions" className="grid gap-3">
      <h2 className="text-lg">Versions</h2>
      {versions.length === 0 ? (
        <p className="text-sm text-soft">This is the only one. A new version takes its place; this one stays in the history.</p>
      ) : (
        <ol reversed className="grid gap-3">
          {versions.map((version) => (
            <VersionRow key={version._id} image={image} version={version} />
          ))}
        </ol>
      )}
      <NewVersion key={image._id} image={image} sending={sending} answer={answer} />
    </section>
  );
}

function VersionRow({ image, version }: { image: DesignImage; version: Version }) {
  const { _id, number, author, addedAt, size, isCurrent } = version;
  const state = useIntentForm({ id: `current-${_id}`, intent: "makeCurrent" });
  const title = `Version ${number}`;
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
        <div className={clsx("flex flex-wrap items-center gap-1", isCurrent && "-ml-2")}>
          {isCurrent ? null : (
            <IntentForm state={state} hidden={{ imageId: image._id, versionId: _id }}>
              <Button type="submit" size="sm" aria-label={`Make version ${number} current`}>
                Make current
              </Button>
            </IntentForm>
          )}
          {isCurrent ? null : (
            <Link
              to={compareAddress({ imageId: image._id, versionId: _id }, { imageId: image._id })}
              prefetch="intent"
              aria-label={`Compare version ${number} with the current one`}
              data-tooltip="Compare"
              className={buttonClass({ look: "ghost", size: "icon-sm" })}
            >
              <Icon of={ArrowLeftRight} />
            </Link>
          )}
          <a
            href={originalAddress(image._id, _id)}
            download
            aria-label={`Download version ${number}`}
            data-tooltip="Download"
            className={buttonClass({ look: "ghost", size: "icon-sm" })}
          >
            <Icon of={Download} />
          </a>
        </div>
      </div>
    </li>
  );
}

const INPUT_ID = "new-version";

/** Without scripts a form that the page takes; with them the file leaves as soon as it is chosen, and what it becomes is seen where it stands. */
function NewVersion({ image, sending, answer: fromPage }: { image: DesignImage; sending: string; answer: UploadAnswer | undefined }) {
  const fetcher = useFetcher<unknown>({ key: `version-${image._id}` });
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const sent = useRef(0);
  const action = href("/design/:id/images/:imageId", { id: image.designId, imageId: image._id });
  const busy = fetcher.state !== "idle";
  const answer = isUploadAnswer(fetcher.data) ? fetcher.data : fromPage;
  const problem = answer?.problem ?? answer?.results.map((result) => (result.ok ? null : result.problem)).find(Boolean);

  function send() {
    if (!form.current || !input.current?.files?.length) return;
    const file = new FormData(form.current);
    // Each choice is a sending of its own; the same one twice can only be the line's doing.
    file.set(UPLOAD_FIELDS.sending, `${sending}-${++sent.current}`);
    void fetcher.submit(file, { method: "post", encType: "multipart/form-data", action });
    // So that the same file can be chosen again.
    input.current.value = "";
  }
  // What was chosen before the scripts had come.
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
      <label htmlFor={INPUT_ID} className={buttonClass({ look: "quiet" }, "noscript:order-first")}>
        <Icon of={Upload} />
        {busy ? "Adding the version" : "Add a version"}
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
