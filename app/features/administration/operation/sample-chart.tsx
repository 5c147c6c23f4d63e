type Point = { at: number; value: number | null };

type SampleChartProps = {
  title: string;
  points: readonly Point[];
  /** End of the axis; it begins a day earlier (milliseconds since 1970). */
  now: number;
  minTop?: number;
  format: (value: number) => string;
};

const DAY = 24 * 60 * 60 * 1000;
const [WIDTH, HEIGHT] = [288, 48];

export function SampleChart({ title, points, now, minTop = 1, format }: SampleChartProps) {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const highest = values.length === 0 ? null : Math.max(...values);
  const last = points.at(-1)?.value ?? null;
  const text = `Now ${last === null ? "–" : format(last)}, highest ${highest === null ? "–" : format(highest)}`;
  return (
    <figure className="grid min-w-0 gap-2 rounded-md border p-3">
      <figcaption className="grid gap-0.5">
        <span className="text-sm font-medium text-soft">{title}</span>
        <span className="tabular text-sm">{text}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} of the last 24 hours. ${text}.`}
        className="h-12 w-full border-b text-accent-text"
      >
        {runsOf(points).map((run) => (
          <Area key={run[0]?.at} run={run} now={now} top={Math.max(highest ?? 0, minTop)} />
        ))}
      </svg>
      <p aria-hidden className="flex justify-between text-xs text-faint">
        <span>24 hours ago</span>
        <span>now</span>
      </p>
    </figure>
  );
}

type Known = { at: number; value: number };

function runsOf(points: readonly Point[]): Known[][] {
  const runs: Known[][] = [[]];
  for (const { at, value } of points) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push({ at, value });
  }
  return runs.filter((run) => run.length > 0);
}

const MIN_WIDTH = 1;

function Area({ run, now, top }: { run: Known[]; now: number; top: number }) {
  const x = ({ at }: Known) => round(WIDTH - ((now - at) / DAY) * WIDTH);
  const y = ({ value }: Known) => round(HEIGHT - (value / top) * (HEIGHT - 2));
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return null;
  const begin = Math.min(x(first), x(last) - MIN_WIDTH);
  const line = `M${begin} ${y(first)}${run.map((each) => `L${x(each)} ${y(each)}`).join("")}`;
  return (
    <>
      <path d={`${line}L${x(last)} ${HEIGHT}L${begin} ${HEIGHT}Z`} className="fill-current opacity-20" />
      <path d={line} className="fill-none stroke-current" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
