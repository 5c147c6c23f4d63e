import {
  type Administration,
  confirm,
  countText,
  dayOf,
  Failure,
  withoutControlCharacters,
  runCommand,
  withAdministration,
} from "./with-administration.ts";

const USAGE = `Usage: npm run links -- <what>

  list                     lists all public links: id, creator, day of creation, what it shows, and its name
  revoke ID                revokes one link
  revoke-all [--yes]       revokes all links`;

async function main([what, ...rest]: string[]): Promise<void> {
  const [id] = rest;
  if (what === "list") return withAdministration(list);
  if (what === "revoke" && id) return withAdministration((administration) => revoke(administration, id));
  if (what === "revoke-all") return withAdministration((administration) => revokeAll(administration, rest.includes("--yes")));
  throw new Failure(USAGE);
}

async function list({ links }: Administration): Promise<void> {
  let count = 0;
  for await (const { _id, owner, createdAt, target, name } of links.list()) {
    const shown = target ? `${target.kind} ${target.name}` : "nothing";
    console.log([_id, owner, dayOf(createdAt), shown, name].map(withoutControlCharacters).join("\t"));
    count += 1;
  }
  console.log(count === 0 ? "There are no public links." : countText(count, "public link"));
}

async function revoke({ links }: Administration, id: string): Promise<void> {
  if (!(await links.revoke(id))) throw new Failure(`There is no public link with the id ${withoutControlCharacters(id)}.`);
  console.log("The public link is revoked.");
}

async function revokeAll({ links }: Administration, sure: boolean): Promise<void> {
  if (!sure && !(await confirm('This revokes all public links. Type "all" to continue: ', "all")))
    throw new Failure("Nothing was revoked.");
  console.log(`${countText(await links.revokeAll(), "public link")} revoked.`);
}

await runCommand(main);
