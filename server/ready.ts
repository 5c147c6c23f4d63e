import { statfs } from "node:fs/promises";

/** Less free room than this on the disk of DATA_DIR, in bytes, and no more people should be sent here. */
const ROOM = 128 * 1024 * 1024;
/** How long the deployment may take to answer, in ms. */
const PATIENCE = 2000;
/** For so long an answer is repeated, in ms: asking often costs nothing. */
const KEPT = 1000;

/** Each part: "ok", or what is the matter. */
export type Readiness = { deployment: string; disk: string; server: string };

export type ReadyOptions = {
  deploymentUrl: string;
  dataDir: string;
  room?: number;
};

/** Whether people may be sent to this server: its deployment answers, there is room on its disk, and it is not stopping. */
export function createReadiness({ deploymentUrl, dataDir, room = ROOM }: ReadyOptions) {
  let stopping = false;
  let last: { at: number; answer: Promise<Readiness> } | null = null;

  const look = async (): Promise<Readiness> => {
    const [deployment, disk] = await Promise.all([askDeployment(deploymentUrl), lookAtDisk(dataDir, room)]);
    return { deployment, disk, server: stopping ? "stopping" : "ok" };
  };

  return {
    check(): Promise<Readiness> {
      if (!last || Date.now() - last.at >= KEPT) last = { at: Date.now(), answer: look() };
      return last.answer;
    },
    stop() {
      stopping = true;
      last = null;
    },
  };
}

/** The deployment's latest time (`/api/query_ts`, specification 7): it takes its database to answer. */
async function askDeployment(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/api/query_ts`, { method: "POST", signal: AbortSignal.timeout(PATIENCE) });
    await response.body?.cancel();
    return response.ok ? "ok" : `answers ${response.status}`;
  } catch {
    return "does not answer";
  }
}

async function lookAtDisk(dir: string, room: number): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize >= room ? "ok" : "has too little room left";
  } catch {
    // With a remote deployment the folder comes with the first picture.
    return "ok";
  }
}
