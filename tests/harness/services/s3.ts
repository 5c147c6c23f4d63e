import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { S3Settings } from "@atelier/engine/s3-settings";

/** How requests fail. Without `on` and `key`, all do. Without `times`, until the faults are replaced. */
export type Fault = {
  kind:
    | "status" // answers `status` with `code`
    | "drop" // closes the connection before the work
    | "drop-answer" // closes the connection after the work
    | "cut" // closes the connection in the middle of the answer
    | "stall" // stops in the middle of the answer
    | "hang" // never answers
    | "wrong" // changes a bit of the answer
    | "slow"; // receives and sends `bytesPerSecond`
  on?: "GET" | "PUT" | "POST" | "DELETE" | "HEAD";
  key?: string;
  times?: number;
  status?: number;
  code?: string;
  bytesPerSecond?: number;
};

export type Command =
  | { do: "fail"; faults: Fault[] }
  | { do: "gone"; gone: boolean }
  | { do: "forget" }
  | { do: "list" }
  | { do: "remove"; key: string }
  | { do: "put"; key: string; body: string }
  | { do: "rename"; key: string; to: string }
  | { do: "age"; ms: number }
  | { do: "flip"; key: string; at: number; mask: number };

export type S3ServerOptions = {
  port: number;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  pageSize: number;
  leastPartBytes: number;
};

const replySchema = z.object({
  objects: z.array(z.object({ key: z.string(), size: z.number() })),
  uploads: z.number(),
  requests: z.array(z.object({ method: z.string(), key: z.string(), query: z.string(), range: z.string().nullable() })),
});
export type S3Reply = z.infer<typeof replySchema>;

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

export async function startS3Server(options: Partial<S3ServerOptions> = {}) {
  const all: S3ServerOptions = {
    port: 0,
    bucket: "atelier-backups",
    region: "eu-test-1",
    accessKeyId: "AKIDTESTTESTTESTTEST",
    secretAccessKey: "secretsecretsecretsecretsecretsecretsecr",
    pageSize: 7,
    leastPartBytes: 0,
    ...options,
  };
  const path = fileURLToPath(new URL("s3-server.ts", import.meta.url));
  const child = fork(path, [JSON.stringify(all)], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [started] = await once(child, "message");
  const { port } = z.object({ port: z.number() }).parse(started);

  async function command(message: Command): Promise<S3Reply> {
    const replied = once(child, "message");
    child.send(message);
    const [reply] = await replied;
    return replySchema.parse(reply);
  }

  const { bucket, region, accessKeyId, secretAccessKey } = all;
  const s3: S3Settings = { endpoint: `http://127.0.0.1:${port}`, region, accessKeyId, secretAccessKey, pathStyle: true };
  return {
    bucket,
    s3,
    command,
    fail: (...faults: Fault[]) => command({ do: "fail", faults }),
    env: {
      BACKUP_S3_ENDPOINT: s3.endpoint,
      BACKUP_S3_REGION: region,
      BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async stop(): Promise<void> {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
