import { DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";

type Sample = { name: string; labels: Record<string, string>; value: number };

export function Metrics({ deployment }: { deployment: Deployment }) {
  const { value = [], error } = useLoaded(deployment, "metrics", async () => samplesIn(await deployment.text("/api/metrics")), {
    everyTime: true,
  });
  const others = value.filter(({ name }) => !name.startsWith("convex_function_"));
  return (
    <>
      <h1>Metrics</h1>
      <ErrorMessage text={error} />
      <section>
        <h2>Functions since the start</h2>
        <DataTable
          label="Functions since the start"
          columns={["Function", "Type", "Runs", "Errors", "Mean duration"]}
          rows={functionRows(value)}
          empty="No function has run."
        />
      </section>
      <section>
        <h2>Deployment</h2>
        <DataTable
          label="Deployment"
          columns={["Metric", "Value"]}
          rows={others.map(({ name, labels, value }) => {
            const shown = [name, ...Object.values(labels)].join(" ");
            return { key: shown, cells: [shown, String(value)] };
          })}
          empty="No metrics."
        />
      </section>
    </>
  );
}

function functionRows(samples: Sample[]) {
  const totals = new Map<string, { name: string; type: string; runs: number; errors: number; seconds: number }>();
  for (const { name, labels, value } of samples) {
    if (!name.startsWith("convex_function_")) continue;
    const { function: path = "", type = "", outcome } = labels;
    const total = totals.get(`${type} ${path}`) ?? { name: path, type, runs: 0, errors: 0, seconds: 0 };
    totals.set(`${type} ${path}`, total);
    if (name === "convex_function_seconds_total") total.seconds += value;
    else total.runs += value;
    if (name === "convex_function_runs_total" && outcome === "error") total.errors += value;
  }
  return [...totals].map(([key, { name, type, runs, errors, seconds }]) => ({
    key,
    cells: [name, type, String(runs), String(errors), `${((seconds / Math.max(runs, 1)) * 1000).toFixed(1)} ms`],
  }));
}

function samplesIn(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", quoted = ""]) => [label, unescaped(quoted)]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
