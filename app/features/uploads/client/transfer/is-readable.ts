export const GONE = "The file was changed or removed after you selected it. Select it again.";

/** A file that was changed or deleted fails like a lost connection; reading a byte distinguishes them. */
export async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}
