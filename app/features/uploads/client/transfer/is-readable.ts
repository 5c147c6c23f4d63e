export const FILE_CHANGED = "The file was changed or removed after you selected it. Select it again.";

/** Returns whether a byte can be read. Uploading a changed or deleted file fails like a lost connection. */
export async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}
