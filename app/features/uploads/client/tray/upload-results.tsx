import { CircleAlert, CircleCheck } from "lucide";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import type { UploadAnswer } from "../../upload-result";

export function UploadResults({ answer: { results, problem } }: { answer: UploadAnswer }) {
  const added = results.filter(({ ok }) => ok).length;
  return (
    <section role="alert" className="grid gap-3 rounded-lg border bg-card p-4">
      <h2 className="text-lg">{results.length > 0 ? `${added} of ${count(results.length, "file")} added` : "Nothing was added"}</h2>
      {problem ? <p className="text-danger-text">{problem}</p> : null}
      {results.length > 0 ? (
        <ul className="grid gap-2">
          {results.map((result, index) => (
            <li key={`${index} ${result.name}`} className="flex gap-2.5">
              <Icon
                of={result.ok ? CircleCheck : CircleAlert}
                className={result.ok ? "mt-0.5 text-accent-text" : "mt-0.5 text-danger-text"}
              />
              <span className="min-w-0">
                <bdi className="font-medium wrap-anywhere">{result.name}</bdi>{" "}
                <span className={result.ok ? "text-faint" : "text-danger-text"}>{result.ok ? "Added" : result.problem}</span>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
