import { useEffect, useState } from "react";
import { DataTable, ErrorMessage } from "./common.tsx";
import { type Deployment, errorText, type LogEntry } from "./deployment.ts";
import { shownTime } from "./values.ts";

const SHOWN = 1_000;
const RETRY_MS = 2_000;

export function Logs({ deployment }: { deployment: Deployment }) {
  const { entries, error } = useLogs(deployment);
  const [text, setText] = useState("");
  const [onlyErrors, setOnlyErrors] = useState(false);
  const shown = entries.filter(
    (entry) =>
      (entry.componentPath ?? "") === deployment.component &&
      (!onlyErrors || entry.error !== null) &&
      [entry.identifier, entry.requestId, entry.error ?? "", ...entry.logLines].some((part) => part.includes(text)),
  );
  return (
    <>
      <h1>Logs</h1>
      <div className="actions">
        <label>
          Contains
          <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </label>
        <label className="check">
          <input type="checkbox" checked={onlyErrors} onChange={(event) => setOnlyErrors(event.target.checked)} />
          Only errors
        </label>
      </div>
      <ErrorMessage text={error} />
      <DataTable
        label="Function calls"
        columns={["Time", "Function", "Type", "Duration", "Log"]}
        rows={shown.map((entry) => ({
          key: `${entry.requestId} ${entry.identifier} ${entry.timestamp}`,
          cells: [
            shownTime(entry.timestamp * 1000),
            entry.identifier,
            entry.udfType,
            `${(entry.executionTime * 1000).toFixed(1)} ms`,
            <span key="log" className={entry.error === null ? "lines" : "lines error"}>
              {[...entry.logLines, entry.error ?? ""].filter((line) => line !== "").join("\n")}
            </span>,
          ],
        }))}
        empty="No calls match."
      />
    </>
  );
}

function useLogs(deployment: Deployment): { entries: LogEntry[]; error: string | null } {
  const [entries, setEntries] = useState<LogEntry[]>([]);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const follow = async () => {
      for (let cursor = 0; !leaving.signal.aborted;) {
        try {
          const more = await deployment.logs(cursor, leaving.signal);
          cursor = more.newCursor;
          setError(null);
          setEntries((before) => [...more.entries.toReversed(), ...before].slice(0, SHOWN));
        } catch (thrown) {
          if (leaving.signal.aborted) return;
          setError(errorText(thrown));
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    setEntries([]);
    void follow();
    return () => leaving.abort();
  }, [deployment]);
  return { entries, error };
}
