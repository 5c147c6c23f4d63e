import { useState } from "react";
import { ActionForm, ErrorMessage } from "./common.tsx";
import type { Deployment, FunctionSpec, RunResult } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";
import { typeText } from "./schema.tsx";
import { editableText, parseObject } from "./values.ts";

type Runnable = Exclude<FunctionSpec, { functionType: "HttpAction" }>;

const nameOf = ({ identifier }: Runnable): string => identifier.replace(/\.js(?=:)/, "");

export function Functions({ deployment, name, onOpen }: { deployment: Deployment; name: string; onOpen: (name: string) => void }) {
  const { value = [], error } = useLoaded(deployment, `functions ${deployment.component}`, () =>
    deployment.query<FunctionSpec[]>("cli/modules:apiSpec"),
  );
  const runnable = value.filter((spec) => spec.functionType !== "HttpAction").toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const httpActions = value.filter((spec) => spec.functionType === "HttpAction");
  const opened = runnable.find((spec) => nameOf(spec) === name) ?? runnable[0];
  return (
    <>
      <h1>Functions</h1>
      <ErrorMessage text={error} />
      {opened ? (
        <label>
          Function
          <select value={nameOf(opened)} onChange={(event) => onOpen(event.target.value)}>
            {runnable.map((spec) => (
              <option key={nameOf(spec)} value={nameOf(spec)}>
                {nameOf(spec)} ({spec.visibility.kind === "internal" ? "internal " : ""}
                {spec.functionType.toLowerCase()})
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>No functions are deployed.</p>
      )}
      {opened && <Runner key={`${deployment.component} ${nameOf(opened)}`} deployment={deployment} spec={opened} />}
      {httpActions.length > 0 && (
        <section>
          <h2>HTTP actions</h2>
          <pre>{httpActions.map(({ method, path }) => `${method} ${path}`).join("\n")}</pre>
        </section>
      )}
    </>
  );
}

function Runner({ deployment, spec }: { deployment: Deployment; spec: Runnable }) {
  const [text, setText] = useState("{}");
  const [result, setResult] = useState<RunResult | null>(null);
  const start = async () => {
    setResult(null);
    setResult(await deployment.run(nameOf(spec), parseObject(text)));
  };
  return (
    <section>
      <pre>{`args: ${typeText(spec.args)}\nreturns: ${typeText(spec.returns)}`}</pre>
      <ActionForm action={start}>
        <label>
          Arguments (JSON)
          <textarea rows={6} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <div className="actions">
          <button>Run {spec.functionType.toLowerCase()}</button>
        </div>
      </ActionForm>
      <div role="status">
        {result && (
          <>
            <h2>Result</h2>
            <pre data-testid="result">{editableText(result.value)}</pre>
            {result.logLines.length > 0 && <pre>{result.logLines.join("\n")}</pre>}
          </>
        )}
      </div>
    </section>
  );
}
