import { useState } from "react";
import { ActionForm, ConfirmButton, DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";
import { fieldOf } from "./values.ts";

type Variable = { name: string; value: string };

export function Environment({ deployment }: { deployment: Deployment }) {
  const variables = useLoaded(deployment, "environment", () => deployment.query<Variable[]>("cli/queryEnvironmentVariables"), {
    everyTime: true,
  });
  const [isShown, setShown] = useState(false);
  const set = async (form: FormData) => {
    await deployment.setVariable(fieldOf(form, "name").trim(), fieldOf(form, "value"));
    variables.reload();
  };
  const remove = async (name: string) => {
    await deployment.setVariable(name, null);
    variables.reload();
  };
  return (
    <>
      <h1>Environment</h1>
      <ErrorMessage text={variables.error} />
      <ActionForm className="actions" label="Set variable" resets action={set}>
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
      </ActionForm>
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
