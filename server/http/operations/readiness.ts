import { statfs } from "node:fs/promises";
import { MIN_FREE_BYTES } from "../../deployment/data-dir.ts";
import { type DeploymentHealth, readDeploymentHealth } from "../../deployment/deployment-health.ts";

const TIMEOUT_MS = 2000;
const CACHE_MS = 1000;

export type Readiness = { deployment: string; tokens: string; disk: string; server: string; files?: string; backups?: string };

/** Prefix of problems that do not make the server unready. */
export const WARNING = "warning: ";

export type ReadyOptions = {
  deploymentUrl: string;
  adminKey?: string | null;
  checkToken: () => Promise<void>;
  dataDir: string;
  room?: number;
  backupWarning?: (() => string | null) | null;
};

export function createReadiness({
  deploymentUrl,
  adminKey = null,
  checkToken,
  dataDir,
  room = MIN_FREE_BYTES,
  backupWarning = null,
}: ReadyOptions) {
  let stopping = false;
  let last: { at: number; answer: Promise<Readiness> } | null = null;

  const check = async (): Promise<Readiness> => {
    const requested = adminKey === null ? checkRemote(deploymentUrl) : checkEmbedded(deploymentUrl, adminKey);
    const [{ deployment, files = null }, disk] = await Promise.all([requested, checkDisk(dataDir, room)]);
    const tokens = deployment === "ok" || deployment === DAMAGED ? await tryToken(checkToken) : "not checked";
    const warning = backupWarning?.() ?? null;
    return {
      deployment,
      tokens,
      disk,
      server: stopping ? "stopping" : "ok",
      ...(files !== null && { files }),
      ...(backupWarning && { backups: warning === null ? "ok" : `${WARNING}${warning}` }),
    };
  };

  return {
    check(): Promise<Readiness> {
      if (!last || Date.now() - last.at >= CACHE_MS) last = { at: Date.now(), answer: check() };
      return last.answer;
    },
    stop() {
      stopping = true;
      last = null;
    },
  };
}

const DAMAGED = "has damaged data and writes nothing";

type Checked = { deployment: string; files?: string | null };

async function checkEmbedded(url: string, adminKey: string): Promise<Checked> {
  try {
    const health = await readDeploymentHealth(url, { adminKey, timeoutMs: TIMEOUT_MS });
    if ("status" in health) return { deployment: `answers ${health.status}` };
    return { deployment: health.damaged ? DAMAGED : "ok", files: health.fileBucket && filesText(health.fileBucket) };
  } catch {
    return { deployment: "does not answer" };
  }
}

/** A bucket that is unavailable is a warning: other servers would not reach it either, and uploads still work. */
const filesText = ({ location, problem }: NonNullable<DeploymentHealth["fileBucket"]>): string =>
  problem === null ? "ok" : `${WARNING}files cannot be moved to or from ${location}, because ${problem}`;

/** Requests the deployment's latest timestamp (specification 7), which requires its database. */
async function checkRemote(url: string): Promise<Checked> {
  try {
    const response = await fetch(`${url}/api/query_ts`, { method: "POST", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return { deployment: response.ok ? "ok" : `answers ${response.status}` };
  } catch {
    return { deployment: "does not answer" };
  }
}

async function tryToken(checkToken: () => Promise<void>): Promise<string> {
  const { promise: timeout, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, TIMEOUT_MS, "not checked in time");
  const checked = checkToken().then(
    () => "ok",
    () => "are not accepted",
  );
  return Promise.race([checked, timeout]).finally(() => clearTimeout(timer));
}

async function checkDisk(dir: string, room: number): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize >= room ? "ok" : "has too little free space";
  } catch {
    return "ok";
  }
}
