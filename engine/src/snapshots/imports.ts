import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { nameIn } from "../functions/paths.ts";
import type { FunctionRunner } from "../functions/types.ts";
import { badRequest } from "../http/errors.ts";
import { integerJson } from "../transaction/query/filter.ts";
import type { ImportTarget } from "../transaction/import/import-target.ts";
import type { StagedImport } from "../transaction/import/staged-import.ts";
import type { Json } from "../values/types.ts";
import { runImport } from "./snapshot-thread.ts";
import { countText, type ImportRequest } from "./stage-import.ts";

/** Time after which an unfinished upload or import ends. */
const KEPT_MS = 60 * 60 * 1_000;
const MAX_PARTS = 10_000;
const KEPT_IMPORTS = 100;

/** The states of `convex/src/cli/lib/convexImport.ts`. */
type ImportState =
  | { state: "uploaded" }
  | { state: "waiting_for_confirmation"; message_to_confirm: string; require_manual_confirmation: boolean }
  | { state: "in_progress"; progress_message: string; checkpoint_messages: string[] }
  | { state: "completed"; num_rows_written: Json }
  | { state: "failed"; error_message: string };
type Import = { state: ImportState; folder: string; plan: StagedImport | null; expiry: NodeJS.Timeout };
type Upload = { folder: string; parts: Set<number>; expiry: NodeJS.Timeout };

export type Imports = {
  startUpload(): Promise<string>;
  /** @throws {RequestError} 400 for an unknown upload or part number */
  storePart(upload: string, part: number, body: AsyncIterable<Uint8Array>): Promise<void>;
  finishUpload(upload: string, request: ImportRequest): Promise<string>;
  /** Imports the checked file. @throws {RequestError} 400 unless the import waits for it */
  perform(id: string): void;
  cancel(id: string): Promise<void>;
  find(id: string): Promise<Json>;
  list(): Json[];
  close(): Promise<void>;
};

export type ImportsOptions = {
  dir: string;
  runner: Pick<FunctionRunner, "importTarget" | "applyImport" | "current">;
  onChange: () => void;
  report: (error: unknown) => void;
};

const RESTARTED = "The deployment restarted, or the import was not confirmed within an hour. Import the file again.";
const UNEXPECTED = "The import failed, and nothing was imported. The deployment's log has the reason.";

export async function createImports({ dir, runner, onChange, report }: ImportsOptions): Promise<Imports> {
  const root = join(dir, "imports");
  await rm(root, { recursive: true, force: true });
  const uploads = new Map<string, Upload>();
  const imports = new Map<string, Import>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true }).catch(report);
  const later = (work: () => void): NodeJS.Timeout => setTimeout(work, KEPT_MS).unref();

  function uploadOf(id: string): Upload {
    const upload = uploads.get(id);
    if (!upload) throw badRequest("The upload is unknown or has expired. Import the file again.", "UploadNotFound");
    return upload;
  }

  function importOf(id: string): Import {
    const found = imports.get(id);
    if (!found) throw badRequest(RESTARTED, "ImportNotFound");
    return found;
  }

  function set(entry: Import, state: ImportState): void {
    entry.state = state;
    if (state.state === "completed" || state.state === "failed") {
      clearTimeout(entry.expiry);
      void removeFolder(entry.folder);
    }
    onChange();
  }

  function run(entry: Import, work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => {
        if (!closing.signal.aborted) report(error);
        set(entry, { state: "failed", error_message: UNEXPECTED });
      })
      .finally(() => running.delete(done));
    running.add(done);
  }

  async function check(id: string, entry: Import, request: ImportRequest, parts: number): Promise<void> {
    const file = join(entry.folder, "upload");
    for (let part = 1; part <= parts; part += 1) {
      const from = join(entry.folder, String(part));
      await pipeline(createReadStream(from), createWriteStream(file, { flags: "a", mode: 0o600 }));
      await rm(from);
    }
    if (parts === 0) await pipeline([], createWriteStream(file, { mode: 0o600 }));
    const target = await runner.importTarget();
    const missing = await missingComponent(request, target);
    if (missing !== null) return set(entry, { state: "failed", error_message: missing });
    const folder = join(entry.folder, "files");
    await mkdir(folder);
    const answer = await runImport(dir, { id, request, target, file, staged: join(entry.folder, "staged"), folder }, closing.signal);
    await rm(file, { force: true });
    if (!answer.ok) {
      if (answer.isInternal) report(new Error(`The import failed: ${answer.message}`));
      return set(entry, { state: "failed", error_message: answer.isInternal ? UNEXPECTED : answer.message });
    }
    entry.plan = answer.plan;
    set(entry, { state: "waiting_for_confirmation", ...confirmation(answer.plan, target) });
  }

  async function missingComponent({ component }: ImportRequest, target: ImportTarget): Promise<string | null> {
    if (component === "" || target.tables.some((table) => table.component === component)) return null;
    const mounts = (await runner.current())?.analysis.components.mounts ?? [];
    return mounts.some(({ path }) => path === component) ? null : `This deployment has no component "${component}".`;
  }

  return {
    async startUpload() {
      const id = randomUUID();
      const folder = join(root, id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const expiry = later(() => {
        uploads.delete(id);
        void removeFolder(folder);
      });
      uploads.set(id, { folder, parts: new Set(), expiry });
      return id;
    },
    async storePart(id, part, body) {
      const upload = uploadOf(id);
      if (!Number.isInteger(part) || part < 1 || part > MAX_PARTS) throw badRequest(`\`partNumber\` must be from 1 to ${MAX_PARTS}.`);
      await pipeline(body, createWriteStream(join(upload.folder, String(part)), { mode: 0o600 }));
      upload.parts.add(part);
      upload.expiry.refresh();
    },
    async finishUpload(upload, request) {
      const { folder, parts, expiry } = uploadOf(upload);
      for (let part = 1; part <= parts.size; part += 1)
        if (!parts.has(part)) throw badRequest(`Part ${part} of the upload is missing.`, "UploadIncomplete");
      clearTimeout(expiry);
      uploads.delete(upload);
      const id = randomUUID();
      const entry: Import = {
        state: { state: "uploaded" },
        folder,
        plan: null,
        expiry: later(() => {
          if (entry.state.state === "waiting_for_confirmation") set(entry, { state: "failed", error_message: RESTARTED });
        }),
      };
      imports.set(id, entry);
      for (const [old, { state }] of imports)
        if (imports.size > KEPT_IMPORTS && (state.state === "completed" || state.state === "failed")) imports.delete(old);
      run(entry, () => check(id, entry, request, parts.size));
      return id;
    },
    perform(id) {
      const entry = importOf(id);
      const { plan } = entry;
      if (entry.state.state !== "waiting_for_confirmation" || !plan) throw badRequest("The import does not wait for a confirmation.");
      set(entry, { state: "in_progress", progress_message: `Importing ${countText(plan.documents)}`, checkpoint_messages: [] });
      run(entry, async () => {
        const answer = await runner.applyImport(join(entry.folder, "staged"), join(entry.folder, "files"));
        if ("refused" in answer) set(entry, { state: "failed", error_message: answer.refused });
        else set(entry, completed(answer.documents));
      });
    },
    async cancel(id) {
      const entry = importOf(id);
      if (entry.state.state !== "waiting_for_confirmation")
        throw badRequest("Only an import that waits for a confirmation can be cancelled.");
      set(entry, { state: "failed", error_message: "The import was cancelled." });
    },
    async find(id) {
      const known = imports.get(id);
      if (known) return { state: known.state };
      const { last } = await runner.importTarget();
      return { state: last?.id === id ? completed(last.documents) : { state: "failed", error_message: RESTARTED } };
    },
    list: () => [...imports.values()].map(({ state }) => ({ state })),
    async close() {
      closing.abort();
      for (const { expiry } of [...uploads.values(), ...imports.values()]) clearTimeout(expiry);
      await Promise.all(running);
      await rm(root, { recursive: true, force: true });
    },
  };
}

const completed = (documents: number): ImportState & { state: "completed" } => ({
  state: "completed",
  num_rows_written: integerJson(BigInt(documents)),
});

function confirmation(plan: StagedImport, target: ImportTarget): { message_to_confirm: string; require_manual_confirmation: boolean } {
  const stored = ({ component, name }: { component: string; name: string }): number =>
    target.tables.find((table) => table.component === component && table.name === name)?.documents ?? 0;
  const added = plan.tables.flatMap((table) => {
    const deletes = table.isReplaced && stored(table) > 0;
    if (table.documents === 0 && !deletes) return [];
    const deleted = deletes ? `, after deleting ${countText(stored(table))}` : "";
    return [{ line: `  ${nameIn(table.component, table.name)}: ${countText(table.documents)}${deleted}`, deletes }];
  });
  const cleared = plan.cleared.map((table) => ({
    line: `  ${nameIn(table.component, table.name)}: deletes ${countText(stored(table))}`,
    deletes: true,
  }));
  const lines = [...added, ...cleared];
  return {
    message_to_confirm: [
      lines.length === 0 ? "The file has no documents." : "Importing into tables:",
      ...lines.map(({ line }) => line),
    ].join("\n"),
    require_manual_confirmation: lines.some(({ deletes }) => deletes),
  };
}
