import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const NGINX = process.env["NGINX_PATH"] ?? "/usr/sbin/nginx";

/** Starts nginx with the location block of docs/configuration.md and its own defaults. `settings`: directives of the server block. */
export async function startNginx(port: number, target: number, settings = ""): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "atelier-nginx-"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`);
  // The workers write there. Started by root, they run as `nobody`.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const config = `
    ${user}
    daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr error;
    events {}
    http {
      ${temporary.join("\n")}
      access_log off;
      map $http_upgrade $connection_upgrade { default upgrade; '' close; }
      server {
        listen 127.0.0.1:${port};
        ${settings}
        location / {
          proxy_pass http://127.0.0.1:${target};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection $connection_upgrade;
        }
      }
    }`;
  await writeFile(join(folder, "nginx.conf"), config);
  const child = spawn(NGINX, ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: ["ignore", "inherit", "inherit"] });
  child.once("error", (error) => console.error(`nginx did not start: install Debian's nginx-light, or set NGINX_PATH. ${error.message}`));
  await listening(port, child);
  return {
    url: `http://localhost:${port}`,
    async close() {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.pid !== undefined) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
  throw new Error("nginx ended before it listened");
}
