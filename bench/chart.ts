/** `bar` is a text such as "≤ 15 ms". Hollow points were measured on a busy machine. */
export type Series = { name: string; bar: string; points: { date: string; amount: number; isBusy: boolean }[] };

const WIDTH = 720;
const PANEL = 96;
const LEFT = 16;
const RIGHT = 120;
const TOP = 40;
const PLOT = 48;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .line { fill: none; stroke: #0969da; stroke-width: 1.5 }
  .bar { stroke: #cf222e; stroke-dasharray: 4 3 }
  circle { fill: #0969da; stroke: #0969da }
  .busy { fill: none }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .line { stroke: #58a6ff } circle { fill: #58a6ff; stroke: #58a6ff } .bar { stroke: #ff7b72 } .busy { fill: none } }
`;

export function chart(title: string, series: Series[]): string {
  const height = TOP + series.length * PANEL;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="${LEFT}" y="24">${escape(title)}</text>`,
    ...series.map((each, index) => panel(each, TOP + index * PANEL)),
    "</svg>\n",
  ].join("\n");
}

function panel({ name, bar, points }: Series, top: number): string {
  const limit = Number(/[\d.]+/.exec(bar)?.[0]);
  const highest = Math.max(limit, ...points.map(({ amount }) => amount)) || 1;
  const base = top + 20 + PLOT;
  const x = (index: number) => LEFT + (index / Math.max(1, points.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (amount: number) => base - (amount / highest) * PLOT;
  const at = (index: number, amount: number) => `${x(index).toFixed(1)},${y(amount).toFixed(1)}`;
  const last = points.at(-1);
  return [
    `<text x="${LEFT}" y="${top + 12}">${escape(`${name} (bar ${bar})`)}</text>`,
    `<line class="bar" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(limit).toFixed(1)}" y2="${y(limit).toFixed(1)}"/>`,
    `<polyline class="line" points="${points.map(({ amount }, index) => at(index, amount)).join(" ")}"/>`,
    ...points.map(({ date, amount, isBusy }, index) => {
      const [cx, cy] = at(index, amount).split(",");
      return `<circle${isBusy ? ' class="busy"' : ""} cx="${cx}" cy="${cy}" r="3"><title>${date}: ${short(amount)}</title></circle>`;
    }),
    last ? `<text x="${WIDTH - RIGHT + 12}" y="${(y(last.amount) + 4).toFixed(1)}">${short(last.amount)}</text>` : "",
  ].join("\n");
}

const short = (amount: number): string => (amount >= 100 ? Math.round(amount).toLocaleString("en-US") : amount.toFixed(2));

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
