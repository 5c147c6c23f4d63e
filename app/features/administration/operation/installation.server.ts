import { createContext } from "react-router";
import type { History } from "~/lib/http/telemetry/history.server";

export type Installation = {
  version: string;
  readiness: () => Promise<Readonly<Record<string, string>>>;
  proxyProblems: () => readonly string[];
  websockets: () => number;
  /** Null without scheduled backups. `ageSeconds` is infinite without a tested backup. */
  backups: () => { ageSeconds: number; isProven: boolean; warning: string | null } | null;
  disk: () => Promise<{
    freeBytes: number;
    totalBytes: number;
    databaseBytes: number | null;
    quarantine: { files: number; bytes: number } | null;
  }>;
  /** Null with all files on the disk. */
  fileBucket: () => Promise<{
    location: string;
    movesBack: boolean;
    waitingFiles: number | null;
    cachedFiles: number;
    cachedBytes: number;
    cacheLimitBytes: number;
    problem: string | null;
  } | null>;
};

export const installationContext = createContext<{ installation: Installation | null; history: History } | null>(null);
