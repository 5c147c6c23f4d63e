import { useState } from "react";
import { ActionForm, ConfirmButton, DataTable, Dialog, ErrorMessage } from "./common.tsx";
import type { Deployment, Document, Filter, JsonObject } from "./deployment.ts";
import { useLoaded } from "./hooks.ts";
import { type Listing, Pager, readPage, usePages, useSelection } from "./paging.tsx";
import { indexesOf, type Schema } from "./schema.tsx";
import { editableText, fieldOf, parseObject, parseValue, shownInCell, shownTime } from "./values.ts";

const DELETED_AT_ONCE = 500;
const OPERATORS = { eq: "=", neq: "≠", lt: "<", lte: "≤", gt: ">", gte: "≥" };

export function Tables({ deployment, table, onOpen }: { deployment: Deployment; table: string; onOpen: (table: string) => void }) {
  const tables = useLoaded(deployment, `tables ${deployment.component}`, async () => {
    const { page } = await deployment.query<{ page: { name: string }[] }>("cli/tables");
    const sizes = await Promise.all(page.map(({ name }) => deployment.query<number>("cli/tableSize", { tableName: name })));
    return page.map(({ name }, i) => ({ name, size: sizes[i] ?? 0 }));
  });
  const names = tables.value ?? [];
  const opened = names.some(({ name }) => name === table) ? table : (names[0]?.name ?? "");
  return (
    <>
      <h1>Tables</h1>
      <ErrorMessage text={tables.error} />
      <label>
        Table
        <select value={opened} onChange={(event) => onOpen(event.target.value)}>
          {names.map(({ name, size }) => (
            <option key={name} value={name}>
              {name} ({size})
            </option>
          ))}
        </select>
      </label>
      {tables.value?.length === 0 && <p>There are no tables. Deploy a schema, or insert a document by a function.</p>}
      {opened !== "" && <Documents key={`${deployment.component} ${opened}`} deployment={deployment} table={opened} />}
    </>
  );
}

function Documents({ deployment, table }: { deployment: Deployment; table: string }) {
  const [listing, setListing] = useState<Listing>({ table, index: null, order: "desc", filters: [], size: 50 });
  const [edited, setEdited] = useState<Document | "new" | null>(null);
  const pages = usePages(deployment, listing);
  const schema = useLoaded(deployment, `schema ${deployment.component}`, () => deployment.query<Schema | null>("dashboard/schema"));
  const { rows: documents, chosen, clear, selection } = useSelection(pages);
  const fields = [...new Set(documents.flatMap((document) => Object.keys(document)))].filter((name) => !name.startsWith("_")).toSorted();
  const show = (next: Partial<Listing>) => {
    selection.onChange(new Set());
    setListing({ ...listing, ...next });
  };
  const remove = async (ids: string[]) => {
    await deployment.change("delete", { ids });
    clear();
  };
  const removeAll = async () => {
    const first = { ...listing, size: DELETED_AT_ONCE };
    for (let page = await readPage(deployment, first, null); ; page = await readPage(deployment, first, page.continueCursor)) {
      if (page.page.length > 0) await deployment.change("delete", { ids: page.page.map(({ _id }) => _id) });
      if (page.isDone) break;
    }
    pages.first();
    clear();
  };
  return (
    <>
      <div className="actions">
        <label>
          Sort by
          <select value={listing.index ?? ""} onChange={(event) => show({ index: event.target.value || null })}>
            <option value="">_creationTime</option>
            {indexesOf(schema.value ?? null, table).map(({ indexDescriptor, fields }) => (
              <option key={indexDescriptor} value={indexDescriptor}>
                {fields.join(", ")} ({indexDescriptor})
              </option>
            ))}
          </select>
        </label>
        <label>
          Order
          <select value={listing.order} onChange={(event) => show({ order: event.target.value === "asc" ? "asc" : "desc" })}>
            <option value="desc">Descending</option>
            <option value="asc">Ascending</option>
          </select>
        </label>
        <label>
          Page size
          <select value={listing.size} onChange={(event) => show({ size: Number(event.target.value) })}>
            {[50, 100, 500].map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
        </label>
      </div>
      <FilterForm filters={listing.filters} onChange={(filters) => show({ filters })} />
      <ErrorMessage text={pages.error} />
      <div className="actions">
        <button type="button" onClick={() => setEdited("new")}>
          Add document
        </button>
        <ConfirmButton
          label={`Delete selected (${chosen.length})`}
          question={`Delete ${chosen.length} documents of ${table} permanently, in one transaction?`}
          disabled={chosen.length === 0}
          action={() => remove(chosen)}
        />
        <ConfirmButton
          label={listing.filters.length === 0 ? "Delete all documents" : "Delete all matches"}
          question={`Delete ${listing.filters.length === 0 ? "all documents" : "all documents that match the filters"} of ${table} permanently, in transactions of ${DELETED_AT_ONCE}?`}
          disabled={documents.length === 0}
          action={removeAll}
        />
      </div>
      {pages.value && (
        <DataTable
          label={`Documents of ${table}`}
          columns={["_id", ...fields, "_creationTime"]}
          rows={documents.map((document) => ({
            key: document._id,
            cells: [
              <button type="button" className="link" key="edit" aria-label={`Edit ${document._id}`} onClick={() => setEdited(document)}>
                {document._id}
              </button>,
              ...fields.map((name) => shownInCell(document[name]).slice(0, 200)),
              shownTime(document._creationTime),
            ],
          }))}
          empty={pages.value.isDone ? "No documents." : "No matches among the documents of this page. Open the next page."}
          selection={selection}
        />
      )}
      <Pager pages={pages} />
      {edited !== null && (
        <DocumentEditor deployment={deployment} table={table} document={edited} onClose={() => setEdited(null)} onSaved={pages.reload} />
      )}
    </>
  );
}

function FilterForm({ filters, onChange }: { filters: Filter[]; onChange: (filters: Filter[]) => void }) {
  const add = async (form: FormData) => {
    const field = fieldOf(form, "field");
    if (field === "") throw new Error("The field is missing.");
    onChange([...filters, { field, op: fieldOf(form, "op"), value: parseValue(fieldOf(form, "value")) }]);
  };
  return (
    <ActionForm className="actions" label="Filters" resets action={add}>
      {filters.map(({ field, op, value }, i) => (
        <button
          type="button"
          key={JSON.stringify(filters[i])}
          aria-label={`Remove filter ${field}`}
          onClick={() => onChange(filters.filter((_, other) => other !== i))}
        >
          {field} {OPERATORS[op as keyof typeof OPERATORS]} {shownInCell(value)} ×
        </button>
      ))}
      <label>
        Field
        <input name="field" size={12} autoComplete="off" />
      </label>
      <label>
        Comparison
        <select name="op">
          {Object.entries(OPERATORS).map(([name, sign]) => (
            <option key={name} value={name}>
              {sign}
            </option>
          ))}
        </select>
      </label>
      <label>
        Value (JSON)
        <input name="value" size={16} autoComplete="off" placeholder='"text" or 5' />
      </label>
      <button>Add filter</button>
    </ActionForm>
  );
}

type EditorProps = { deployment: Deployment; table: string; document: Document | "new"; onClose: () => void; onSaved: () => void };

function DocumentEditor({ deployment, table, document, onClose, onSaved }: EditorProps) {
  const { _id, _creationTime, ...fields }: JsonObject = document === "new" ? {} : document;
  const original = editableText(fields);
  const [text, setText] = useState(original);
  const save = async () => {
    const value = parseObject(text);
    if (document === "new") await deployment.change("insert", { table, documents: [value] });
    else await deployment.change("replace", { id: document._id, document: value, before: document });
    onSaved();
    onClose();
  };
  return (
    <Dialog
      title={document === "new" ? `Add a document to ${table}` : `Edit ${document._id}`}
      onClose={onClose}
      isDirty={text !== original}
    >
      <ActionForm action={save}>
        <label>
          Fields (JSON)
          <textarea rows={14} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <p className="hint">
          Integers are {'{"$integer": "5"}'}, bytes {'{"$bytes": "base64"}'}.
        </p>
        <div className="actions">
          <button>Save document</button>
          <button type="button" onClick={onClose}>
            {text === original ? "Close" : "Discard changes"}
          </button>
        </div>
      </ActionForm>
    </Dialog>
  );
}
