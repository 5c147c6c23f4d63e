import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findProgram } from "../harness/programs.ts";
import { type ProxyName, PROGRAMS } from "./programs.ts";

export type RunningProxy = {
  url: string;
  port: number;
  pid: number;
  folder: string;
  close(): Promise<void>;
};

type ProxyOptions = { port: number; target: number; configuration?: string; url?: string };

type Configuration = { port: number; folder: string; block: string };

type Kind = {
  language: string;
  values: (options: { port: number; target: number; folder: string }) => Record<string, string>;
  file: (configuration: Configuration) => string;
  args: (file: string, folder: string) => string[];
};

const APACHE_MODULES = ["mpm_event", "authz_core", "ssl", "http2", "headers", "proxy", "proxy_http", "reqtimeout", "socache_shmcb"];

const isRoot = process.getuid?.() === 0;

const KINDS: Record<ProxyName, Kind> = {
  nginx: {
    language: "nginx",
    values: ({ port, target, folder }) => ({
      "443": `${port}`,
      "127.0.0.1:3000": `127.0.0.1:${target}`,
      "atelier.example": "localhost",
      "/etc/ssl": folder,
    }),
    // When root starts nginx, its workers run as `nobody`, who may not write to the folder.
    file: ({ folder, block }) => `
      ${isRoot ? "user root;" : ""}
      daemon off;
      pid ${folder}/nginx.pid;
      error_log stderr error;
      events {}
      http {
        ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
        access_log off;
        ${block}
      }`,
    args: (file, folder) => ["-p", folder, "-c", file],
  },
  Caddy: {
    language: "caddyfile",
    values: ({ port, target }) => ({ "atelier.example": `https://localhost:${port}`, "127.0.0.1:3000": `127.0.0.1:${target}` }),
    file: ({ folder, block }) => `{
      admin off
      auto_https disable_redirects
      skip_install_trust
      storage file_system ${folder}/storage
      log {
        level ERROR
      }
    }\n${block}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
  HAProxy: {
    language: "haproxy",
    values: ({ port, target, folder }) => ({ "443": `${port}`, "127.0.0.1:3000": `127.0.0.1:${target}`, "/etc/ssl": folder }),
    file: ({ block }) => `global\n  maxconn 1000\n\n${block}`,
    args: (file) => ["-f", file],
  },
  Apache: {
    language: "apache",
    values: ({ port, target, folder }) => ({
      "443": `${port}`,
      "127.0.0.1:3000": `127.0.0.1:${target}`,
      "atelier.example": "localhost",
      "/etc/ssl": folder,
    }),
    file: ({ port, folder, block }) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
${APACHE_MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${isRoot ? "User www-data\nGroup www-data" : ""}
Listen ${port}
${block}`,
    args: (file) => ["-f", file, "-DFOREGROUND"],
  },
};

export async function startProxy(name: ProxyName, options: ProxyOptions): Promise<RunningProxy> {
  const { port, target, url = `https://localhost:${port}` } = options;
  const kind = KINDS[name];
  const folder = await mkdtemp(join(tmpdir(), "atelier-proxy-"));
  await writeCertificate(folder);
  const text = options.configuration ?? (await documented(kind.language));
  const block = Object.entries(kind.values({ port, target, folder })).reduce((filled, [example, value]) => {
    if (options.configuration === undefined && !filled.includes(example))
      throw new Error(`The ${kind.language} block of docs/proxies.md lacks ${example}`);
    return filled.replaceAll(example, value);
  }, text);
  const file = join(folder, "configuration");
  await writeFile(file, kind.file({ port, folder, block }));
  const child = spawn(findProgram(PROGRAMS[name]), kind.args(file, folder), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  await listening(name, port, child);
  return {
    url,
    port,
    pid: child.pid ?? 0,
    folder,
    async close() {
      const ended = once(child, "close");
      child.kill(name === "HAProxy" ? "SIGUSR1" : "SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 3000);
      await ended;
      clearTimeout(late);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function documented(language: string): Promise<string> {
  const text = await readFile(new URL("../../docs/proxies.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, info]) => info === language);
  const [, , block] = blocks[0] ?? [];
  if (blocks.length !== 1 || block === undefined) throw new Error(`docs/proxies.md has ${blocks.length} blocks for ${language}`);
  return block;
}

async function writeCertificate(folder: string): Promise<void> {
  const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/localhost.${name}`, import.meta.url));
  for (const name of ["crt", "key"]) await copyFile(fixture(name), join(folder, `atelier.${name}`));
  const parts = await Promise.all([readFile(fixture("crt")), readFile(fixture("key"))]);
  await writeFile(join(folder, "atelier.pem"), Buffer.concat(parts));
}

async function listening(name: string, port: number, child: ChildProcess): Promise<void> {
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
  throw new Error(`${name} ended before it listened`);
}
