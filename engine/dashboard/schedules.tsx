import { ConfirmButton, DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment, Json } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";
import { Pager, usePages, useSelection } from "./paging.tsx";
import { isObject, shownInCell, shownTime } from "./values.ts";

type Cron = { name: string; path: string; args: Json; schedule: Json; next: number };

const LISTING = { table: "_scheduled_functions", index: null, order: "desc", filters: [], size: 50 } as const;

export function Schedules({ deployment }: { deployment: Deployment }) {
  const crons = useLoaded(deployment, `crons ${deployment.component}`, () => deployment.query<Cron[]>("dashboard/crons"));
  const pages = usePages(deployment, { ...LISTING, filters: [] });
  const { rows: jobs, chosen, clear, selection } = useSelection(pages);
  const cancel = async () => {
    await deployment.change("cancelJobs", { ids: chosen });
    clear();
  };
  return (
    <>
      <h1>Schedules</h1>
      <section>
        <h2>Crons</h2>
        <ErrorMessage text={crons.error} />
        <DataTable
          label="Crons"
          columns={["Name", "Function", "Schedule", "Next run", "Arguments"]}
          rows={(crons.value ?? []).map(({ name, path, args, schedule, next }) => ({
            key: name,
            cells: [name, path, shownInCell(schedule), shownTime(next), shownInCell(args)],
          }))}
          empty="No crons are deployed."
        />
      </section>
      <section>
        <h2>Scheduled functions</h2>
        <ErrorMessage text={pages.error} />
        <div className="actions">
          <ConfirmButton
            label={`Cancel selected (${chosen.length})`}
            question={`Cancel ${chosen.length} scheduled functions? Ended ones stay as they are.`}
            disabled={chosen.length === 0}
            action={cancel}
          />
        </div>
        <DataTable
          label="Scheduled functions"
          columns={["Function", "Scheduled for", "State", "Arguments"]}
          rows={jobs.map(({ _id, name, scheduledTime, state, args }) => ({
            key: _id,
            cells: [shownInCell(name), shownTime(Number(scheduledTime)), stateText(state), shownInCell(args)],
          }))}
          empty="No scheduled functions."
          selection={selection}
        />
        <Pager pages={pages} />
      </section>
    </>
  );
}

function stateText(state: Json | undefined): string {
  const { kind, error } = isObject(state) ? state : {};
  return typeof error === "string" ? `${shownInCell(kind)}: ${error}` : shownInCell(kind);
}
