import { crc32 } from "node:zlib";

/** Returns a zip's files by name, in order; folder names end with a slash. Throws for a broken archive. */
export function unzip(bytes: Uint8Array): Map<string, Buffer> {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("The archive has no end.");
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.toString("latin1", at, at + 4) !== "PK\x01\x02") throw new Error("The archive's list is broken.");
    const [flags, method] = [zip.readUInt16LE(at + 8), zip.readUInt16LE(at + 10)];
    const [crc, size] = [zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [number, number, number];
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(start, start + size);
    if (method !== 0 || (flags & 0x800) === 0) throw new Error(`${name} is packed, or named in no UTF-8.`);
    if (crc32(content) !== crc) throw new Error(`${name} is damaged.`);
    if (files.has(name)) throw new Error(`${name} is there twice.`);
    files.set(name, content);
    at += 46 + nameLength + extra + comment;
  }
  return files;
}
