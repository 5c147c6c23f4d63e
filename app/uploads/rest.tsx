import { useId, useRef, useState } from "react";
import { Button, buttonClass } from "~/ui/button";
import { count } from "~/ui/count";
import type { Leftover } from "./leftovers";
import type { Uploads } from "./uploads";

type RestProps = {
  rest: readonly Leftover[];
  /** How many of them are named. */
  listed: number;
  all: Uploads;
};

/** What an earlier page could not finish. The browser does not keep files: their owner has to choose them once more. */
export function Rest({ rest, listed, all }: RestProps) {
  const input = useRef<HTMLInputElement>(null);
  const [others, setOthers] = useState<File[]>([]);
  const id = useId();
  return (
    <div className="grid gap-2 px-4 py-2">
      <p className="text-sm text-soft">
        {count(rest.length, "file")} stopped on the way when the page was closed. Choose {rest.length === 1 ? "it" : "them"} again, and{" "}
        {rest.length === 1 ? "it goes" : "they go"} on where {rest.length === 1 ? "it" : "they"} stopped.
      </p>
      <ul className="grid gap-0.5 text-sm">
        {rest.slice(0, listed).map(({ url, name, designName }) => (
          <li key={url} className="truncate">
            {name} <span className="text-faint">· {designName}</span>
          </li>
        ))}
      </ul>
      <p role="alert" className="text-sm text-danger-text empty:hidden">
        {others.length > 0 ? `Not among them: ${others.map(({ name }) => name).join(", ")}.` : null}
      </p>
      <p className="flex flex-wrap gap-1">
        <input
          ref={input}
          id={id}
          type="file"
          multiple
          className="sr-only peer"
          onChange={() => {
            setOthers(all.takeUp([...(input.current?.files ?? [])]));
            if (input.current) input.current.value = "";
          }}
        />
        <label htmlFor={id} className={buttonClass({ size: "sm" }, "peer-focus-visible:outline-2 peer-focus-visible:outline-accent-text")}>
          Choose {rest.length === 1 ? "it" : "them"} again
        </label>
        <Button look="ghost" size="sm" onClick={() => all.discardRest()}>
          Discard
        </Button>
      </p>
    </div>
  );
}
