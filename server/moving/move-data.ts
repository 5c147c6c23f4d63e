import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "../deployment/push.ts";
import { copyMissingFiles, differingFiles, listFiles, removeSurplusFiles } from "./copy-files.ts";
import { MoveError } from "./move-error.ts";
import type { MoveFolder, MoveState } from "./move-state.ts";
import { isQuiet, pauseJobs, resumeJobs } from "./pause-jobs.ts";
import { ownVariables, readOnlyReason, setReadOnly } from "./read-only.ts";
import { exportTables, importSnapshot } from "./snapshot-transfer.ts";
import { differencesOf, sumTables, type TableSums } from "./table-sums.ts";

const ATTEMPTS = 5;
const SHOWN = 10;
const TABLES = "tables.zip";
const COPY = "copied-tables.zip";
const FILES = "files";

export type Move = {
  from: string;
  to: string;
  source: Target;
  target: Target;
  folder: MoveFolder;
  requireEmptyTarget: () => Promise<void>;
  prepareTarget: (variables: Record<string, string>) => Promise<void>;
  report: (line: string) => void;
};

/** Moves all data, or continues a move that was killed. Returns the length of the read-only window in ms, or null if nothing was left. */
export async function moveData(move: Move): Promise<number | null> {
  const { source, target, folder, report } = move;
  const started = await startedState(move);
  if (started.phase === "done") return null;
  const windowSince = performance.now();
  let windowMs = 0;
  if (started.phase === "copying") {
    await folder.write(started);
    await setReadOnly(target, `target of ${started.id}`);
    await move.prepareTarget(await ownVariables(source));
    report("Copying files. The app stays usable.");
    await copyMissingFiles(fileCopy(move));
    windowMs = await copyInWindow(move, started);
  }
  await completeMove(move, started);
  return started.phase === "verified" ? performance.now() - windowSince : windowMs;
}

/** Makes the source writable again and forgets the move. Throws `MoveError` if there is none. */
export async function cancelMove({ from, to, source, folder }: Move): Promise<void> {
  const state = await folder.read();
  if (state?.from !== from || state.to !== to || state.phase === "done") throw new MoveError("There is no unfinished move to cancel.");
  if (state.phase === "verified")
    throw new MoveError("All data has been copied and compared. Run the command without --cancel to complete the move.");
  await release(source);
  for (const name of [TABLES, COPY, FILES, "state.json"]) await folder.remove(name);
}

async function startedState({ from, to, source, target, folder, requireEmptyTarget }: Move): Promise<MoveState> {
  const state = await folder.read();
  const isSame = state?.from === from && state.to === to;
  if (state && !isSame && state.phase !== "done")
    throw new MoveError(
      `The move from ${state.from} to ${state.to} is unfinished. Run it again to continue, or run it with --cancel to end it. Nothing was changed.`,
    );
  const reason = await readOnlyReason(source);
  if (isSame && (state.phase === "verified" || (state.phase === "done" && reason === "moved"))) return state;
  if (reason !== null && !(isSame && reason === `source of ${state.id}`)) throw new MoveError(explain(reason, source));
  if (isSame && state.phase === "copying" && (await readOnlyReason(target)) === `target of ${state.id}`) return state;
  await requireEmptyTarget();
  return { id: isSame && state.phase === "copying" ? state.id : randomUUID(), from, to, phase: "copying" };
}

const explain = (reason: string, { url }: Target): string =>
  reason === "moved"
    ? `The data of ${url} was moved to another deployment, so it is read-only. Nothing was changed.`
    : `${url} is the ${reason.split(" ")[0]} of another move, so it is read-only. Complete or cancel that move. Nothing was changed.`;

const fileCopy = ({ source, target, folder, report }: Move) => ({
  source,
  target,
  folder: folder.path(FILES),
  onBatch: (files: number) => report(`  ${files} files copied`),
});

/** Copies everything that can change while no one writes. Makes the source writable again after an error. Returns the duration in ms. */
async function copyInWindow(move: Move, { id }: MoveState): Promise<number> {
  const { source, folder, report } = move;
  const since = performance.now();
  try {
    await setReadOnly(source, `source of ${id}`);
    report("The app is read-only now.");
    await pauseJobs(source);
    await copyRemainingFiles(move);
    const sums = await exportQuietly(move);
    await importSnapshot(move.target, folder.path(TABLES), "replace");
    await verify(move, sums);
    await folder.write({ id, from: move.from, to: move.to, phase: "verified" });
  } catch (error) {
    await release(source);
    report("The app is writable again.");
    throw error;
  }
  return performance.now() - since;
}

async function copyRemainingFiles(move: Move): Promise<void> {
  await copyMissingFiles(fileCopy(move));
  await removeSurplusFiles(move.source, move.target);
}

/** Repeats the export if a job was scheduled meanwhile, because it would be missing in the target. */
async function exportQuietly({ source, folder }: Move): Promise<TableSums> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await exportTables(source, folder.path(TABLES));
    if (await isQuiet(source)) return sumTables(folder.path(TABLES));
    await pauseJobs(source);
  }
  throw new MoveError("Functions were scheduled during each export. Run the command again later.");
}

async function verify(move: Move, sums: TableSums): Promise<void> {
  const { source, target, folder, report } = move;
  await exportTables(target, folder.path(COPY));
  const problems = [...differencesOf(sums, await sumTables(folder.path(COPY))), ...(await fileProblems(move))];
  if (problems.length > 0) {
    const more = problems.length > SHOWN ? ` (and ${problems.length - SHOWN} more)` : "";
    throw new MoveError(`${target.url} has other data than ${source.url}: ${problems.slice(0, SHOWN).join(" ")}${more}`);
  }
  const documents = [...sums.values()].reduce((sum, table) => sum + table.documents, 0);
  report(`Compared: ${documents} documents in ${sums.size} tables, and all files.`);
}

/** Repeats once, because an upload that began before the window can end in it. Such a file has no row yet. */
async function fileProblems(move: Move): Promise<string[]> {
  const compare = async () => differingFiles(await listFiles(move.source), await listFiles(move.target));
  if ((await compare()).length > 0) await copyRemainingFiles(move);
  return compare();
}

/** Each step can be repeated after a kill. The target accepts writes only after the source refuses them permanently. */
async function completeMove({ source, target, folder }: Move, state: MoveState): Promise<void> {
  await setReadOnly(source, "moved");
  await setReadOnly(target, null);
  await resumeJobs(target, true);
  for (const name of [TABLES, COPY, FILES]) await folder.remove(name);
  await folder.write({ ...state, phase: "done" });
}

/** Also runs after an interrupted connection, so it tries for a while. */
async function release(source: Target): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await setReadOnly(source, null);
      return await resumeJobs(source, false);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await sleep(1000 * attempt);
    }
}
