import { Buffer } from "node:buffer";
import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from "node:fs";

/** `secure_delete` leaves copies of deleted data in the unused middle of pages (https://www.sqlite.org/fileformat2.html, 1.6 and 4). */

/** Header sizes by a B-tree page's first byte. */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);
const DATABASE_HEADER_BYTES = 100;
/** From here on an overflow page, which starts with a page number, may look like a B-tree page. */
const MAX_PAGES = 2 ** 25;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAMES_AT_ONCE = 256;

export type UnusedBytes = ReturnType<typeof openUnusedBytes>;

/** Call `close` after SQLite has closed the file: closing any descriptor releases the process's locks (POSIX). */
export function openUnusedBytes(path: string, { pageSize, hasPointerMap }: { pageSize: number; hasPointerMap: boolean }) {
  const file = openSync(path, "r+");
  const page = Buffer.alloc(pageSize);
  const pending = new Set<number>();
  let pendingUpTo = 0;
  let failedSync: Error | null = null;

  /** https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages */
  const isPointerMap = (number: number): boolean => hasPointerMap && number > 1 && (number - 2) % (Math.floor(pageSize / 5) + 1) === 0;

  function clearPage(number: number): boolean {
    if (isPointerMap(number)) return false;
    const start = (number - 1) * pageSize;
    if (readSync(file, page, 0, pageSize, start) < pageSize) return false;
    const range = unusedRange(page, number);
    if (range === null || !page.subarray(range.from, range.to).some((byte) => byte !== 0)) return false;
    writeSync(file, Buffer.alloc(range.to - range.from), 0, range.to - range.from, start + range.from);
    return true;
  }

  return {
    get isDue(): boolean {
      return pending.size > 0 || pendingUpTo > 0;
    },
    get count(): number {
      return pending.size + pendingUpTo;
    },
    addPagesInLog(logPath: string): void {
      for (const number of pagesInLog(logPath, pageSize)) pending.add(number);
    },
    addAllPages(): void {
      pendingUpTo = Math.floor(fstatSync(file).size / pageSize);
    },
    /** Clears unused bytes until `isOver`. Returns whether some remain. Call it only while no checkpoint runs. */
    clear(isOver: () => boolean): boolean {
      if (failedSync) throw failedSync;
      let changed = false;
      for (const number of pending) {
        if (isOver()) break;
        if (number < MAX_PAGES) changed = clearPage(number) || changed;
        pending.delete(number);
      }
      for (; pendingUpTo > 0 && !isOver(); pendingUpTo--) if (pendingUpTo < MAX_PAGES) changed = clearPage(pendingUpTo) || changed;
      if (changed) fdatasync(file, (error) => void (failedSync = error));
      return pending.size > 0 || pendingUpTo > 0;
    },
    close(): void {
      closeSync(file);
    },
  };
}

function unusedRange(page: Buffer, number: number): { from: number; to: number } | null {
  const start = number === 1 ? DATABASE_HEADER_BYTES : 0;
  const headerBytes = HEADER_BYTES.get(page.readUInt8(start));
  if (headerBytes === undefined) return null;
  const cells = page.readUInt16BE(start + 3);
  // 0 means 65,536.
  const to = page.readUInt16BE(start + 5) || 65_536;
  const from = start + headerBytes + 2 * cells;
  return from < to && to <= page.length ? { from, to } : null;
}

/** Frames of the current generation repeat the header's salt. */
function pagesInLog(path: string, pageSize: number): Set<number> {
  const pages = new Set<number>();
  const log = openLog(path);
  if (log === null) return pages;
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    if (readSync(log, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return pages;
    const salt = header.subarray(16, 24);
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    const frames = Buffer.alloc(frameBytes * FRAMES_AT_ONCE);
    for (let position = LOG_HEADER_BYTES; ; position += frames.length) {
      const read = readSync(log, frames, 0, frames.length, position);
      for (let at = 0; at + frameBytes <= read; at += frameBytes) {
        if (!frames.subarray(at + 8, at + 16).equals(salt)) return pages;
        pages.add(frames.readUInt32BE(at));
      }
      if (read < frames.length) return pages;
    }
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
}
