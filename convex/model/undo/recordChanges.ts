import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { invalid } from "../errors";
import { type Change, type ClosedRequest, type Field, FIELDS, type State, type UndoStep } from "./undoTables";

type Item = Doc<"projects"> | Doc<"designs"> | Doc<"designImages">;
type ItemId = Item["_id"];
type Draft = { kind: Change["kind"]; isNew: boolean; before: State; after: State; closedRequests?: ClosedRequest[] };

const KINDS = { projects: "project", designs: "design", designImages: "image" } as const;
const isItemTable = (table: string): table is keyof typeof KINDS => Object.hasOwn(KINDS, table);

const CHANGES_PER_ROW = 50;
export const STEP_MAX = 64;

/** Marks an inserted item: before its creation it counts as trashed. */
const NOT_YET: State = { removedAt: 0 };

/** Wraps the database to record a mutation's changes. `save` stores them as an undo step and replaces an earlier step of that name. */
export function recordChanges({ db, user }: { db: MutationCtx["db"]; user: Pick<Doc<"users">, "id"> }) {
  const drafts = new Map<string, Draft>();
  const call = (name: "patch" | "insert" | "delete", ...args: unknown[]): unknown => Reflect.apply(Reflect.get(db, name), db, args);

  async function patch(id: ItemId, fields: Record<string, unknown>): Promise<unknown> {
    const kind = kindOf(db, id);
    const touched = Object.keys(fields).filter(isField);
    if (kind && touched.length > 0) note(kind, await db.get(id), fields, touched);
    return call("patch", id, fields);
  }

  function note(kind: Change["kind"], row: Item | null, fields: Record<string, unknown>, touched: Field[]): void {
    if (!row) return;
    const stored: Partial<Record<Field | "ownerId", unknown>> = row;
    const draft = drafts.get(row._id) ?? { kind, isNew: false, before: {}, after: {} };
    if (draft.isNew) return;
    const isMoving = "designId" in fields || ("projectId" in fields && kind === "design");
    for (const field of touched) {
      // The field is the owner's favourite. `recordFavourite` records those of other users.
      if (field === "favouriteAt" && (stored.ownerId ?? user.id) !== user.id) continue;
      if (field === "orderKey" && stored.orderKey === undefined && !isMoving) continue;
      if (isSame(stored[field], fields[field]) && !(isMoving && field === "orderKey")) continue;
      if (!(field in draft.before)) Object.assign(draft.before, { [field]: stored[field] });
      Object.assign(draft.after, { [field]: fields[field] });
    }
    drafts.set(row._id, draft);
  }

  async function insert(table: string, row: unknown): Promise<unknown> {
    const id: unknown = await call("insert", table, row);
    const favouriteId = table === "favourites" && typeof id === "string" ? db.normalizeId("favourites", id) : null;
    if (favouriteId) await recordFavourite(favouriteId, true);
    if (isItemTable(table) && typeof id === "string") drafts.set(id, { kind: KINDS[table], isNew: true, before: NOT_YET, after: {} });
    return id;
  }

  async function remove(id: Id<"favourites"> | Id<"reviewRequests"> | ItemId): Promise<unknown> {
    const requestId = db.normalizeId("reviewRequests", id);
    if (requestId) await recordRequest(requestId);
    const favouriteId = db.normalizeId("favourites", id);
    if (favouriteId) await recordFavourite(favouriteId, false);
    return call("delete", id);
  }

  async function recordRequest(id: Id<"reviewRequests">): Promise<void> {
    const request = await db.get(id);
    if (!request) return;
    const { itemId, projectId: _, designId: __, _id, _creationTime, ...closed } = request;
    const draft = drafts.get(itemId) ?? { kind: kindOf(db, itemId) ?? "design", isNew: false, before: {}, after: {} };
    drafts.set(itemId, { ...draft, closedRequests: [...(draft.closedRequests ?? []), closed] });
  }

  async function recordFavourite(id: Id<"favourites">, isNew: boolean): Promise<void> {
    const favourite = await db.get(id);
    const item = favourite && (await db.get(favourite.itemId));
    if (!item || item.removedAt !== undefined || ("projectId" in item && item.projectId !== favourite.projectId)) return;
    const { favouriteAt } = favourite;
    const draft = drafts.get(item._id) ?? { kind: "projectId" in item ? "design" : "project", isNew: false, before: {}, after: {} };
    if (draft.isNew) return;
    if (!("favouriteAt" in draft.before)) draft.before.favouriteAt = isNew ? undefined : favouriteAt;
    draft.after.favouriteAt = isNew ? favouriteAt : undefined;
    drafts.set(item._id, draft);
  }

  const recording = { patch, insert, delete: remove };
  const isRecorded = (name: unknown): name is keyof typeof recording => typeof name === "string" && Object.hasOwn(recording, name);
  return {
    db: new Proxy(db, { get: (target, name) => (isRecorded(name) ? recording[name] : Reflect.get(target, name)) }),

    changes: (): Change[] => [...drafts].flatMap(([id, draft]) => toChange(id, draft) ?? []),

    save(step: string): Promise<void> {
      return replaceStep({ db }, user.id, step, [{ changes: this.changes() }]);
    },
  };
}

type StepGroup = { changes: Change[]; isUndone?: boolean };

export async function replaceStep({ db }: Pick<MutationCtx, "db">, userId: string, step: string, groups: StepGroup[]): Promise<void> {
  if (step === "" || step.length > STEP_MAX) throw invalid({ step: ["This action cannot be stored for undo."] });
  for (const { _id } of await stepRows({ db }, userId, step)) await db.delete(_id);
  for (const { changes, ...group } of groups)
    for (let at = 0; at < changes.length; at += CHANGES_PER_ROW)
      await db.insert("undoSteps", { userId, step, at: Date.now(), changes: changes.slice(at, at + CHANGES_PER_ROW), ...group });
}

/** Adds later changes to the step's row that contains the item's change, so that both are undone together. */
export async function addToStep(
  { db }: Pick<MutationCtx, "db">,
  userId: string,
  { name, jobId }: UndoStep,
  itemId: string,
  changes: Change[],
): Promise<void> {
  const row = (await stepRows({ db }, userId, name)).find((each) => each.changes.some(({ id }) => id === itemId));
  if (!row) return;
  await db.patch(row._id, { changes: [...row.changes, ...changes] });
  const job = jobId && (await db.get(jobId));
  if (job) await db.patch(job._id, { applied: (job.applied ?? job.done) + changes.length });
}

const ROWS_MAX = 100;

export const stepRows = ({ db }: Pick<MutationCtx, "db">, userId: string, step: string) =>
  db
    .query("undoSteps")
    .withIndex("by_user", (q) => q.eq("userId", userId).eq("step", step))
    .take(ROWS_MAX);

function toChange(id: string, { kind, before, after, closedRequests }: Draft): Change | null {
  const differs = (field: Field) => !isSame(before[field], after[field]);
  const isMoved = differs("designId") || differs("projectId");
  // Records the key of a moved item even if it is unchanged, because undoing the move alone would append the item.
  const fields = Object.keys({ ...before, ...after })
    .filter(isField)
    .filter((field) => differs(field) || (isMoved && field === "orderKey"));
  if (fields.length === 0) return null;
  const changed = ([field]: [string, unknown]) => isField(field) && fields.includes(field);
  const only = (state: State): State => Object.assign({}, Object.fromEntries(Object.entries(state).filter(changed)));
  return { kind, id, before: only(before), after: only(after), ...(closedRequests && { closedRequests }) };
}

function kindOf(db: MutationCtx["db"], id: ItemId): Change["kind"] | null {
  for (const [table, kind] of Object.entries(KINDS)) if (isItemTable(table) && db.normalizeId(table, id)) return kind;
  return null;
}

export const isField = (name: string): name is Field => FIELDS.has(name);

export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((each, index) => each === other[index]);
  if (!isRecord(one) || !isRecord(other)) return one === other;
  return Object.keys({ ...one, ...other }).every((field) => isSame(one[field], other[field]));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
