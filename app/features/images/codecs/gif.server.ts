/** Returns whether a GIF has its trailer (GIF89a, 17 to 27). Decoders silently drop a truncated last frame. */
export function isWholeGif(bytes: Buffer): boolean {
  const table = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + table(bytes[10] ?? 0);
  const skipSubBlocks = () => {
    for (let length = bytes[at++]; length; length = bytes[at++]) at += length;
  };
  while (at < bytes.length) {
    const kind = bytes[at++];
    if (kind === TRAILER) return true;
    if (kind === EXTENSION) at += 1;
    else if (kind === IMAGE) at += 9 + table(bytes[at + 8] ?? 0) + 1;
    else return false;
    skipSubBlocks();
  }
  return false;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
