export { openArchive } from "./read-archive.ts";
export { writeFileArchive } from "./write-file-archive.ts";
