type Result = { type: "data" | "error"; result: unknown };

const LAYOUTS = ["root", "routes/outermost", "routes/shell", "routes/signed-in"];

/** Keeps the layouts' data when a request fails, so that React Router shows the page's error boundary inside the shell. */
export function keepLayouts(results: Record<string, Result>, earlier: Record<string, unknown>): Record<string, Result> {
  return Object.fromEntries(
    Object.entries(results).map(([id, result]) => {
      const failed = result.type === "error" && !(result.result instanceof Response);
      return failed && LAYOUTS.includes(id) && earlier[id] !== undefined ? [id, { type: "data", result: earlier[id] }] : [id, result];
    }),
  );
}
