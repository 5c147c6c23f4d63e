// Settings of glibc's allocator, read only at a process's start (mallopt(3)). Without them, threads retain 219 MB after 220 MB of messages, instead of 122 MB. Other C libraries ignore them.
export const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };
