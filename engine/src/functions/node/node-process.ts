/** Processes for code of "use node" files (docs/decisions/226-node-actions.md). */
import { fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clockSkewMs } from "../../simulation/clock-skew.ts";
import { killOrphan } from "./orphan-guard.ts";

const ENTRY = fileURLToPath(new URL("./node-entry.ts", import.meta.url));
const ENGINE = fileURLToPath(new URL("../../", import.meta.url));
/** The only dependency of the engine's code in these processes. */
const DEPENDENCY = "lru-cache";
const DEPENDENCY_FOLDERS = dependencyFolders(DEPENDENCY);
const FOLDER = "node-actions";
const HEAP_MIB = 384;
const STDERR_BYTES = 2_048;
/** Newer versions of Node also restrict the network. */
const NETWORK_FLAGS = ["--allow-net"].filter((flag) => process.allowedNodeEnvironmentFlags.has(flag));

export type NodeSettings = {
  nodeModules: string;
  /** Permits native code in external packages, which no permission limits. */
  allowsAddons: boolean;
};

export type NodeCode = { root: string; packages: string[] };

export type NodeStart = {
  entry: string;
  clockSkewMs: number;
  env: Record<string, string>;
  code: NodeCode & { nodeModules: string };
  data: object;
};

type Options = {
  /** The deployment's data folder, without symbolic links. */
  dir: string;
  entry: URL;
  code: NodeCode;
  env: Record<string, string>;
  settings: NodeSettings;
  data: object;
  onMessage: (message: unknown) => void;
};

/** A process that reads only its code, writes only to its temporary folder, and has no variables of this process. */
export class NodeProcess {
  readonly pid: number;
  readonly temporary: string;
  readonly exited: Promise<{ errors: string }>;
  readonly #child: ChildProcess;

  constructor({ dir, entry, code, env, settings, data, onMessage }: Options) {
    this.temporary = join(dir, FOLDER, randomUUID());
    mkdirSync(this.temporary, { recursive: true });
    const { nodeModules } = settings;
    const readable = [
      ENGINE,
      // In another folder than `ENGINE` when the engine is bundled.
      dirname(ENTRY),
      ...DEPENDENCY_FOLDERS,
      code.root,
      this.temporary,
      ...(code.packages.length > 0 ? [nodeModules, realPath(nodeModules)] : []),
    ];
    this.#child = fork(ENTRY, [], {
      execArgv: [
        "--permission",
        ...readable.map((path) => `--allow-fs-read=${path}`),
        `--allow-fs-write=${this.temporary}`,
        ...(settings.allowsAddons ? ["--allow-addons"] : []),
        ...NETWORK_FLAGS,
        // SQLite opens files without a permission check.
        "--no-experimental-sqlite",
        `--max-old-space-size=${HEAP_MIB}`,
        "--disable-warning=ExperimentalWarning",
      ],
      cwd: this.temporary,
      // The deployment's variables are sent later: among these, some would change how Node starts.
      env: { TZ: "UTC", TMPDIR: this.temporary },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.pid = this.#child.pid ?? 0;
    killOrphan(this.#child);
    let errors = "";
    this.#child.stderr?.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-STDERR_BYTES)));
    this.#child.on("message", onMessage);
    this.exited = this.#whenExited().then(() => ({ errors }));
    const start: NodeStart = { entry: entry.href, clockSkewMs: clockSkewMs(), env, code: { ...code, nodeModules }, data };
    this.send(start);
  }

  send(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }

  async #whenExited(): Promise<void> {
    const failed = once(this.#child, "error").then(() => undefined);
    await Promise.race([once(this.#child, "close"), failed]).catch(() => undefined);
    await rm(this.temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

export function removeNodeFolders(dir: string): void {
  rmSync(join(dir, FOLDER), { recursive: true, force: true });
}

/** Returns the path by which Node finds a dependency of the engine, and the folder that it links to. */
function dependencyFolders(name: string, folder = ENGINE): string[] {
  const path = join(folder, "node_modules", name);
  if (existsSync(path)) return [path, realpathSync(path)];
  const parent = dirname(folder);
  return parent === folder ? [] : dependencyFolders(name, parent);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
