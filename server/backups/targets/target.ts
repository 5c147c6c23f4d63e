/** Where backups are stored. Names are paths with "/". `scratch`: a local folder for the test of a backup, which `lock` creates. */
export type Target = {
  scratch: string;
  /** Whether data is copied to `scratch` first, because the target may be slow, or gets only encrypted data. */
  isStaged: boolean;
  /** Makes the target usable by this process alone. Throws when another process uses the target. */
  lock(): Promise<() => Promise<void>>;
  list(folder: string): Promise<Map<string, number>>;
  /** Throws `MissingError`. */
  read(name: string): AsyncIterable<Buffer>;
  /** Stores all of the content or, when it throws, nothing. */
  write(name: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>;
  flush(): Promise<void>;
  remove(name: string): Promise<void>;
  /** Moves a damaged object away, so that the next backup stores it again. */
  setAside(name: string): Promise<void>;
  describe(name: string): string;
  localFile(name: string): string | null;
};

export class MissingError extends Error {}
