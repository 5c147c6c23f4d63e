import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newIdentity, recipientOf } from "../../server/backups/objects/age.ts";
import { APP_USER } from "../harness/app.ts";
import { startS3Server } from "../harness/services/s3.ts";
import type { Mailbox } from "../harness/services/mailbox.ts";
import { mailboxOfWorker } from "../harness/services/servers.ts";
import { storeOf } from "../harness/store.ts";
import { expect, type RunningApp, signIn, signUp, test as base } from "../harness/test.ts";
import { addPictures, makeDesign } from "../e2e/support/pictures.ts";

const test = base.extend<object, { mailbox: Mailbox }>({ mailbox: mailboxOfWorker });

const script = (name: string) => fileURLToPath(new URL(`../../server/commands/${name}.ts`, import.meta.url));

async function command(name: string, args: string[], env: Record<string, string>): Promise<string> {
  const options = { env: { PATH: process.env.PATH, ...env }, ...APP_USER };
  const { stdout } = await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", script(name), ...args], options);
  return stdout;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "atelier-backups-"));
  if (APP_USER.uid !== undefined) await chown(path, APP_USER.uid, APP_USER.gid);
  return path;
}

const metrics = async (app: RunningApp, token: string) =>
  (await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text();

type Place = { to: string; write: Record<string, string>; read: Record<string, string>; remove: () => Promise<void> };

async function inFolder(): Promise<Place> {
  const to = await folder();
  return { to, write: {}, read: {}, remove: () => rm(to, { recursive: true, force: true, maxRetries: 5 }) };
}

async function inEncryptedBucket(): Promise<Place> {
  const [server, identity] = await Promise.all([startS3Server(), newIdentity([])]);
  return {
    to: `s3://${server.bucket}/atelier`,
    write: { ...server.env, BACKUP_ENCRYPT_TO: await recipientOf(identity) },
    read: { ...server.env, BACKUP_IDENTITY: identity },
    remove: () => server.stop(),
  };
}

/** The files are in the same bucket. The restored copy has them on its disk. */
async function inBucketWithFiles(): Promise<Place> {
  const server = await startS3Server();
  const files = Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name.replace("BACKUP_", "FILES_"), value]));
  return {
    to: `s3://${server.bucket}/backups`,
    write: { ...server.env, ...files, FILES_S3_LOCATION: `s3://${server.bucket}/files`, FILES_S3_CACHE_BYTES: "0" },
    read: server.env,
    remove: () => server.stop(),
  };
}

const PLACES = { "a folder": inFolder, "an encrypted bucket": inEncryptedBucket, "a bucket, with files in a bucket": inBucketWithFiles };

for (const [name, place] of Object.entries(PLACES))
  test(`takes and tests backups in ${name}, and a restored one gives the same app`, async ({ launch }) => {
    test.setTimeout(600_000);
    await expectSameApp(launch, await place());
  });

test(
  "emails the administrators when backups fail, and when they work again",
  { tag: "@mails-failed-backups" },
  async ({ launch, mailbox }) => {
    test.setTimeout(600_000);
    const to = await folder();
    const target = join(to, "backups");
    await mkdir(target, { mode: 0o777 });
    await chmod(target, 0o777);
    try {
      const mail = { SMTP_URL: mailbox.url, MAIL_FROM: "Atelier <atelier@example.com>" };
      const app = await launch({ ...mail, BACKUP_TO: target, BACKUP_SCHEDULE: "* * * * *" });
      const person = await signUp(app.url);
      const store = await storeOf(app);
      await store.change("users", { id: person.id }, { emailVerified: true });
      await store.setAdministrator(person.id, true);
      const subjects = () => mailbox.for(person.email).map(({ subject }) => subject.split(" · ")[0]);
      await expect.poll(() => app.output(), { timeout: 200_000 }).toContain('"msg":"a backup was taken, restored and compared"');
      await rename(target, `${target}.away`);
      await writeFile(target, "");
      await expect.poll(subjects, { timeout: 200_000 }).toContain("Backups need attention");
      expect(subjects()).not.toContain("Backups work again");
      await rm(target);
      await rename(`${target}.away`, target);
      await app.kill();
      await app.start();
      await expect.poll(subjects, { timeout: 200_000 }).toContain("Backups work again");
      expect(subjects().filter((subject) => subject === "Backups need attention")).toHaveLength(1);
    } finally {
      await rm(to, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);

async function expectSameApp(
  launch: (env: Record<string, string>) => Promise<RunningApp>,
  { to, write, read, remove }: Place,
): Promise<void> {
  const restored = await folder();
  try {
    const token = randomUUID();
    const app = await launch({ BACKUP_TO: to, METRICS_TOKEN: token, ...write });
    const person = await signUp(app.url);
    const name = `Nightfall & "Daybreak" <${randomUUID()}>`;
    const { designId, path } = await makeDesign(app, person, name);
    const [imageId = ""] = await addPictures(app, person, designId, ["fig", "bank"]);
    await app.kill();
    await app.start();
    await expect.poll(() => metrics(app, token), { timeout: 300_000 }).toMatch(/^atelier_backup_proven 1$/m);
    expect(Number(/^atelier_backup_age_seconds (\S+)$/m.exec(await metrics(app, token))?.[1])).toBeLessThan(600);
    expect(await (await fetch(`${app.url}/readyz`)).json()).toMatchObject({ backups: "ok" });
    await expect.poll(() => app.output()).toContain('"msg":"a backup was taken, restored and compared"');
    expect(app.output()).not.toContain(designId);

    const taken = await command("backup", [], { DATA_DIR: app.dataDir, BACKUP_TO: to, ...write });
    expect(taken).toMatch(/is complete \(\d+\.\d MB new\)\. It was restored and compared, and 5 pages were rendered from it\./);
    expect(await command("check-data", [to], write)).toContain("has no problems. Checked: 2 backups");

    await command("restore", [to], { DATA_DIR: restored, ...read });
    const other = await launch({ DATA_DIR: restored });
    const again = await signIn(other.url, person);
    const get = (path: string) => fetch(other.url + path, { headers: { Cookie: again.cookieHeader } });
    expect(await (await get(path)).text()).toContain("Nightfall &amp;");
    expect((await get(`/images/${imageId}?w=160`)).headers.get("Content-Type")).toContain("image/");
    const stored = await fetch(`${app.url}/images/${imageId}`, { headers: { Cookie: person.cookieHeader } });
    expect(Buffer.from(await (await get(`/images/${imageId}`)).arrayBuffer())).toEqual(Buffer.from(await stored.arrayBuffer()));
  } finally {
    await rm(restored, { recursive: true, force: true, maxRetries: 5 });
    await remove();
  }
}
