import { useState } from "react";
import { ConfirmButton, DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment } from "./deployment.ts";
import { useAction, useLoaded } from "./hooks.ts";
import { fieldOf } from "./values.ts";

type Variable = { name: string; value: string };

export function Environment({ deployment }: { deployment: Deployment }) {
  const variables = useLoaded(deployment, "environment", () => deployment.query<Variable[]>("cli/queryEnvironmentVariables"), {
    everyTime: true,
  });
  const [isShown, setShown] = useState(false);
  const { error, run } = useAction();
  const set = (form: FormData) =>
    run(async () => {
      await deployment.setVariable(fieldOf(form, "name").trim(), fieldOf(form, "value"));
      variables.reload();
    });
  const remove = async (name: string) => {
    await deployment.setVariable(name, null);
    variables.reload();
  };
  return (
    <>
      <h1>Environment</h1>
      <ErrorMessage text={variables.error} />
      <form
        className="actions"
        aria-label="Set variable"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void set(new FormData(form)).then((isDone) => isDone && form.reset());
        }}
      >
        <label>
          Name
          <input name="name" required autoComplete="off" />
        </label>
        <label>
          Value
          <textarea name="value" rows={1} spellCheck={false} />
        </label>
        <button>Set variable</button>
        <label className="check">
          <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.target.checked)} />
          Show values
        </label>
        <ErrorMessage text={error} />
      </form>
      <DataTable
        label="Environment variables"
        columns={["Name", "Value", "Actions"]}
        rows={(variables.value ?? []).map(({ name, value }) => ({
          key: name,
          cells: [
            name,
            isShown ? value : "••••",
            <ConfirmButton
              key="delete"
              label={`Delete ${name}`}
              question={`Delete the variable ${name}? Functions that read it get undefined.`}
              action={() => remove(name)}
            />,
          ],
        }))}
        empty="No environment variables."
      />
    </>
  );
}
