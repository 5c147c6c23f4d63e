/** Reads an archive of stored files by its central directory (PKWARE APPNOTE 4.3). */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  if (end < 0) throw new Error("The archive has no end");
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt16LE(at + 10) !== 0) throw new Error("A file of the archive is compressed");
    const size = archive.readUInt32LE(at + 20);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const name = archive.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const header = archive.readUInt32LE(at + 42);
    const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    files.set(name, archive.subarray(start, start + size));
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}
