/** Tables with rows that the queries of image files read (`uploads.getFile`). */
export const ACCESS_TABLES = [
  "sessions",
  "users",
  "accessTokens",
  "links",
  "projects",
  "projectMembers",
  "designs",
  "designImages",
  "imageVersions",
  "commentImages",
] as const;

/** Fields that change neither the access to an image nor its file. All others do, so that new fields count too. */
const OTHER_FIELDS = new Set([
  "bytes",
  "caption",
  "cover",
  "coverImageId",
  "chosenCover",
  "description",
  "designCount",
  "details",
  "favouriteAt",
  "hasComments",
  "hasWebhooks",
  "imageCount",
  "imageReviews",
  "lastCommentAt",
  "lastUsedAt",
  "latestImageAt",
  "openThreadCount",
  "orderKey",
  "placeholder",
  "review",
  "reviewedImages",
  "reviews",
  "sortName",
  "tags",
  "updatedAt",
  "words",
]);

/** More changed rows in one mutation count as all rows, because app servers read each revocation. */
export const ROWS_MAX = 10;

type Change = { id: unknown; fields: object | "all" };

/** Wraps the database of a mutation to note changes that can end access to an image. `save` stores them as one row. */
export function recordRevocations<Db extends object>(
  db: Db,
  onChange: (change: Change) => void = () => {},
): { db: Db; save: () => Promise<void> } {
  const changed = new Set<string>();
  const target: object = db;
  const call = (name: string, ...args: unknown[]): unknown => Reflect.apply(Reflect.get(target, name), target, args);
  const decidesAccess = (id: unknown) => ACCESS_TABLES.some((table) => call("normalizeId", table, id) !== null);

  function note(id: unknown): void {
    if (typeof id === "string" && changed.size <= ROWS_MAX && decidesAccess(id)) changed.add(id);
  }

  function write(name: "patch" | "replace", ...args: unknown[]): unknown {
    const [id, fields] = args.slice(-2);
    const isOther = name === "patch" && Object.keys(Object(fields)).every((field) => OTHER_FIELDS.has(field));
    if (!isOther) note(id);
    onChange({ id, fields: name === "patch" ? Object(fields) : "all" });
    return call(name, ...args);
  }

  const recording: Record<PropertyKey, (...args: unknown[]) => unknown> = {
    patch: (...args) => write("patch", ...args),
    replace: (...args) => write("replace", ...args),
    delete(...args) {
      note(args.at(-1));
      onChange({ id: args.at(-1), fields: "all" });
      return call("delete", ...args);
    },
  };
  return {
    db: new Proxy(db, { get: (of, name) => (Object.hasOwn(recording, name) ? recording[name] : Reflect.get(of, name)) }),
    async save() {
      if (changed.size > 0) await call("insert", "revocations", { rows: changed.size > ROWS_MAX ? [] : [...changed] });
    },
  };
}

export const recordingRevocations = async <Ctx extends { db: object }, Input extends { ctx: object }>(
  ctx: Ctx,
  input: (ctx: Ctx) => Promise<Input>,
) => {
  const { db, save } = recordRevocations<Ctx["db"]>(ctx.db);
  const given = await input({ ...ctx, db });
  return { ...given, ctx: { ...given.ctx, db }, onSuccess: save };
};
