const UNRELEASED = "## Unreleased\n";
const STEPS = "### Steps for operators\n";

/** Dates the section "Unreleased" and adds an empty one. Throws if the section does not describe what an operator must do. */
export function releasedChangelog(text: string, version: string, date: Date): string {
  const [before, after] = text.split(UNRELEASED);
  if (before === undefined || after === undefined) throw new Error('CHANGELOG.md needs one section "Unreleased".');
  const section = after.split(/^## /m, 1)[0] ?? "";
  const [, steps = ""] = section.split(STEPS);
  if (!/^- /m.test(steps.split(/^### /m, 1)[0] ?? ""))
    throw new Error('CHANGELOG.md needs "Steps for operators" below "Unreleased": "- None." if there are none.');
  return `${before}${UNRELEASED}\n## ${version} (${date.toISOString().slice(0, 10)})\n${after}`;
}
