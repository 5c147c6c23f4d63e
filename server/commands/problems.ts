const SHOWN = 20;

export function formatProblems(problems: readonly string[]): string {
  const more = problems.length - SHOWN;
  return [...problems.slice(0, SHOWN), ...(more > 0 ? [`… and ${more} more.`] : [])].map((problem) => `  - ${problem}`).join("\n");
}
