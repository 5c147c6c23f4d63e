export type ReadableHandle = FileSystemFileHandle & {
  requestPermission(descriptor: { mode: "read" }): Promise<PermissionState>;
};

const handles = new WeakMap<File, Promise<ReadableHandle | null>>();

/** Stores the handle of a dropped file, if the browser offers one. Must be called during the drop. */
export function storeFileHandle(file: File, item: DataTransferItem): void {
  if (!offersHandles(item)) return;
  const handle = item.getAsFileSystemHandle().then(
    (found) => (isReadable(found) ? found : null),
    () => null,
  );
  handles.set(file, handle);
}

export const fileHandleOf = async (file: File): Promise<ReadableHandle | null> => (await handles.get(file)) ?? null;

/** Asks for permission, which needs a click. Returns null if the permission is denied or the file is missing. */
export async function readFileHandle(handle: ReadableHandle): Promise<File | null> {
  try {
    return (await handle.requestPermission({ mode: "read" })) === "granted" ? await handle.getFile() : null;
  } catch {
    return null;
  }
}

function offersHandles(item: DataTransferItem): item is DataTransferItem & { getAsFileSystemHandle(): Promise<FileSystemHandle | null> } {
  return "getAsFileSystemHandle" in item && typeof item.getAsFileSystemHandle === "function";
}

const isReadable = (handle: FileSystemHandle | null): handle is ReadableHandle => handle?.kind === "file" && "requestPermission" in handle;
