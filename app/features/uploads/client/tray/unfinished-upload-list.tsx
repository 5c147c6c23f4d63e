import { useId, useRef, useState } from "react";
import { count } from "~/lib/ui/count";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import type { QueuedUpload } from "../queue/queued-upload";
import { isFileAvailable } from "../unfinished-uploads";
import type { Uploads } from "../uploads";

type UnfinishedUploadListProps = {
  unfinished: readonly QueuedUpload[];
  listed: number;
  all: Uploads;
};

export function UnfinishedUploadList({ unfinished, listed, all }: UnfinishedUploadListProps) {
  const input = useRef<HTMLInputElement>(null);
  const [otherFiles, setOtherFiles] = useState<File[]>([]);
  const [wasDenied, setWasDenied] = useState(false);
  const id = useId();
  const canResume = unfinished.some(isFileAvailable);
  const mustSelect = wasDenied || !unfinished.every(isFileAvailable);
  const files = unfinished.length === 1 ? "file" : "files";

  async function resume() {
    await all.resumeUnfinished();
    setWasDenied(true);
  }

  return (
    <div className="grid gap-2 px-4 py-2">
      <p className="text-sm text-soft">
        {canResume
          ? `The ${files} ${unfinished.length === 1 ? "is" : "are"} still stored in this browser.`
          : `Select the ${files} again to resume.`}
      </p>
      <p className="flex flex-wrap gap-1">
        {canResume ? (
          <Button size="sm" variant="primary" onClick={() => void resume()}>
            Resume
          </Button>
        ) : null}
        {mustSelect ? (
          <>
            <input
              ref={input}
              id={id}
              type="file"
              multiple
              className="sr-only peer"
              onChange={() => {
                setOtherFiles(all.resumeWith([...(input.current?.files ?? [])]));
                if (input.current) input.current.value = "";
              }}
            />
            <label
              htmlFor={id}
              className={buttonClass({ size: "sm" }, "peer-focus-visible:outline-2 peer-focus-visible:outline-accent-text")}
            >
              Select {files} again
            </label>
          </>
        ) : null}
        <Button variant="ghost" size="sm" onClick={() => all.discardUnfinished()}>
          Discard
        </Button>
      </p>
      <p role="alert" className="text-sm text-danger-text empty:hidden">
        {otherFiles.length > 0 ? `No unfinished upload matches: ${otherFiles.map(({ name }) => isolate(name)).join(", ")}.` : null}
      </p>
      <ul className="grid gap-0.5 text-sm">
        {unfinished.slice(0, listed).map(({ id: key, name, designName }) => (
          <li key={key} className="truncate">
            <bdi>{name}</bdi>{" "}
            <span className="text-faint">
              · <bdi>{designName}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {unfinished.length > listed ? <p className="text-sm text-faint">and {count(unfinished.length - listed, "more", "more")}</p> : null}
    </div>
  );
}
