import { FunctionError } from "../values/errors.ts";
import {
  MAX_BYTES_READ,
  MAX_BYTES_WRITTEN,
  MAX_DOCUMENTS_READ,
  MAX_DOCUMENTS_WRITTEN,
  MAX_INDEX_RANGES,
  MAX_SCHEDULED,
  MAX_SCHEDULED_ARGUMENT_BYTES,
} from "../values/limits.ts";
import type { Usage } from "./types.ts";

const READ_LIMIT_ADVICE =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a selective index range expressions.";
const WRITE_LIMIT_ADVICE = "Consider splitting the work into several mutations, for example by scheduling one from another.";

export class Meter {
  private readonly used: Usage = {
    documentsRead: 0,
    bytesRead: 0,
    documentsWritten: 0,
    bytesWritten: 0,
    indexRanges: 0,
    scheduled: 0,
    scheduledArgumentBytes: 0,
  };

  read(bytes: number): void {
    this.used.documentsRead += 1;
    this.used.bytesRead += bytes;
    if (this.used.documentsRead > MAX_DOCUMENTS_READ) throw exceeded("Too many documents read", `${MAX_DOCUMENTS_READ}`, READ_LIMIT_ADVICE);
    if (this.used.bytesRead > MAX_BYTES_READ) throw exceeded("Too many bytes read", `${MAX_BYTES_READ} bytes`, READ_LIMIT_ADVICE);
  }

  range(): void {
    this.used.indexRanges += 1;
    if (this.used.indexRanges > MAX_INDEX_RANGES) throw exceeded("Too many reads", `${MAX_INDEX_RANGES}`, READ_LIMIT_ADVICE);
  }

  write(bytes: number): void {
    this.used.documentsWritten += 1;
    this.used.bytesWritten += bytes;
    if (this.used.documentsWritten > MAX_DOCUMENTS_WRITTEN) {
      throw exceeded("Too many writes", `${MAX_DOCUMENTS_WRITTEN}`, WRITE_LIMIT_ADVICE);
    }
    if (this.used.bytesWritten > MAX_BYTES_WRITTEN)
      throw exceeded("Too many bytes written", `${MAX_BYTES_WRITTEN} bytes`, WRITE_LIMIT_ADVICE);
  }

  schedule(argumentBytes: number): void {
    this.used.scheduled += 1;
    this.used.scheduledArgumentBytes += argumentBytes;
    if (this.used.scheduled > MAX_SCHEDULED)
      throw new FunctionError(`Too many functions scheduled by this mutation (limit: ${MAX_SCHEDULED})`);
    if (this.used.scheduledArgumentBytes > MAX_SCHEDULED_ARGUMENT_BYTES) {
      throw new FunctionError(
        `Too large total size of the arguments of scheduled functions from this mutation (limit: ${MAX_SCHEDULED_ARGUMENT_BYTES} bytes)`,
      );
    }
  }

  usage(): Usage {
    return { ...this.used };
  }

  undoWrites(earlier: Usage): void {
    this.used.documentsWritten = earlier.documentsWritten;
    this.used.bytesWritten = earlier.bytesWritten;
    this.used.scheduled = earlier.scheduled;
    this.used.scheduledArgumentBytes = earlier.scheduledArgumentBytes;
  }
}

function exceeded(what: string, limit: string, advice: string): FunctionError {
  return new FunctionError(`${what} in a single function execution (limit: ${limit}). ${advice}`);
}
