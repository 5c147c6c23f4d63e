/** Archives of `npx convex export`, for programs that move data between deployments. */
export { openArchive } from "./read-archive.ts";
export { writeFileArchive } from "./write-file-archive.ts";
