import { ConfirmButton, DataTable, ErrorMessage } from "./common.tsx";
import type { Deployment } from "./deployment.ts";
import { useAction } from "./hooks.ts";
import { Pager, usePages, useSelection } from "./paging.tsx";
import { shownInCell, shownTime } from "./values.ts";

export function Files({ deployment }: { deployment: Deployment }) {
  const pages = usePages(deployment, { table: "_storage", index: null, order: "desc", filters: [], size: 50 });
  const { rows: files, chosen, clear, selection } = useSelection(pages);
  const { error, run } = useAction();
  const upload = (input: HTMLInputElement) =>
    run(async () => {
      for (const file of input.files ?? []) await deployment.upload(file);
      pages.reload();
    }).then(() => {
      input.value = "";
    });
  const remove = async () => {
    await deployment.change("deleteFiles", { ids: chosen });
    clear();
  };
  const download = (id: string) =>
    run(async () => {
      const url = await deployment.query<string | null>("dashboard/fileUrl", { id });
      if (url === null) throw new Error(`The file ${id} was deleted.`);
      // `download` prevents that an HTML file opens with access to this tab.
      Object.assign(document.createElement("a"), { href: new URL(url).pathname, download: id }).click();
    });
  return (
    <>
      <h1>Files</h1>
      <ErrorMessage text={pages.error ?? error} />
      <div className="actions">
        <label>
          Upload files
          <input type="file" multiple onChange={(event) => void upload(event.target)} />
        </label>
        <ConfirmButton
          label={`Delete selected (${chosen.length})`}
          question={`Delete ${chosen.length} files permanently? Documents that refer to them stay.`}
          disabled={chosen.length === 0}
          action={remove}
        />
      </div>
      <DataTable
        label="Stored files"
        columns={["Storage id", "Size", "Content type", "Created", "SHA-256"]}
        rows={files.map(({ _id, _creationTime, size, contentType, sha256 }) => ({
          key: _id,
          cells: [
            <button type="button" className="link" key="download" aria-label={`Download ${_id}`} onClick={() => void download(_id)}>
              {_id}
            </button>,
            `${shownInCell(size)} bytes`,
            shownInCell(contentType),
            shownTime(_creationTime),
            shownInCell(sha256),
          ],
        }))}
        empty="No files."
        selection={selection}
      />
      <Pager pages={pages} />
    </>
  );
}
