/** https://docs.convex.dev/production/state/limits; sizes as counted by `getConvexSize`. */

const MIB = 1024 * 1024;

export const MAX_DOCUMENT_BYTES = MIB;
export const MAX_ARGUMENT_BYTES = 16 * MIB;
export const MAX_RESULT_BYTES = 16 * MIB;
export const MAX_NESTING = 16;
/** Arguments and results contain documents, so they may nest deeper. */
export const MAX_ARGUMENT_NESTING = 64;
export const MAX_OBJECT_FIELDS = 1024;
export const MAX_ARRAY_LENGTH = 8192;
export const MAX_FIELD_NAME_LENGTH = 1024;

/** Per transaction. */
export const MAX_DOCUMENTS_READ = 32_000;
export const MAX_BYTES_READ = 16 * MIB;
export const MAX_DOCUMENTS_WRITTEN = 16_000;
export const MAX_BYTES_WRITTEN = 16 * MIB;
export const MAX_INDEX_RANGES = 4_096;
export const MAX_SCHEDULED = 1_000;
export const MAX_SCHEDULED_ARGUMENT_BYTES = 16 * MIB;

/** https://docs.convex.dev/database/reading-data/indexes */
export const MAX_INDEX_FIELDS = 16;
export const MAX_INDEXES_PER_TABLE = 32;

/** Per text search (https://docs.convex.dev/search/text-search). */
export const MAX_SEARCH_RESULTS = 1024;
export const MAX_SEARCH_TERMS = 16;
export const MAX_SEARCH_WORD_BYTES = 32;
export const MAX_SEARCH_FILTERS = 8;

/** https://docs.convex.dev/search/vector-search#limits */
export const MIN_VECTOR_DIMENSIONS = 2;
export const MAX_VECTOR_DIMENSIONS = 4096;
export const MAX_VECTOR_INDEXES_PER_TABLE = 4;
export const MAX_VECTOR_FILTER_FIELDS = 16;
export const MAX_VECTOR_FILTERS = 64;
export const MAX_VECTOR_RESULTS = 256;
export const DEFAULT_VECTOR_RESULTS = 10;
