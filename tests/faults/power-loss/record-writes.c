/*
 * Records the changes of a process to files below POWER_LOSS_ROOT in POWER_LOSS_LOG/log (`recorded-writes.ts` reads it). Load it with
 * LD_PRELOAD. An fsync is only recorded, because the log decides what a power loss leaves.
 *
 * If POWER_LOSS_LOG/fail-fsync exists, each fsync of a path that contains its text fails with EIO.
 * If POWER_LOSS_LOG/slow-fsync exists, each fsync first waits for its number of milliseconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, TRUNCATE, SYNC, FAILED_SYNC, CREATE, RENAME, REMOVE, MAKE_FOLDER, LINK };

struct record {
  uint32_t kind;
  uint32_t path_bytes;
  uint64_t inode;
  uint64_t folder; /* inode of the folder with the changed name */
  uint64_t offset; /* of a write; the size of a truncation */
  uint64_t bytes;
};

#define MAX_PARTS 64

static char root[PATH_MAX], log_folder[PATH_MAX];
static size_t root_length;
static int log_file = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void fail(const char *what) {
  dprintf(2, "record-writes: %s: %s\n", what, strerror(errno));
  abort();
}

__attribute__((constructor)) static void start(void) {
  const char *from = getenv("POWER_LOSS_ROOT"), *to = getenv("POWER_LOSS_LOG");
  if (!from || !to) return;
  snprintf(root, sizeof root, "%s", from);
  snprintf(log_folder, sizeof log_folder, "%s", to);
  root_length = strlen(root);
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/log", log_folder);
  log_file = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) fail(path);
}

static int is_below_root(const char *path) { return log_file >= 0 && strncmp(path, root, root_length) == 0 && path[root_length] == '/'; }

/* Returns the descriptor's path, or an empty text. */
static const char *path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  path[length > 0 ? length : 0] = 0;
  return path;
}

static int is_recorded_file(int fd, struct stat *info) {
  char path[PATH_MAX];
  return log_file >= 0 && fd != log_file && fstat(fd, info) == 0 && S_ISREG(info->st_mode) && is_below_root(path_of(fd, path, sizeof path));
}

/* Call it with the mutex. */
static void append(struct record record, const char *paths, const struct iovec *data, int count) {
  struct iovec parts[2 + MAX_PARTS] = {{&record, sizeof record}, {(void *)paths, record.path_bytes}};
  if (count > MAX_PARTS) fail("too many parts");
  size_t total = sizeof record + record.path_bytes;
  for (int i = 0; i < count; i++) {
    parts[2 + i] = data[i];
    record.bytes += data[i].iov_len;
    total += data[i].iov_len;
  }
  if (REAL(writev)(log_file, parts, 2 + count) != (ssize_t)total) fail("log");
}

static void append_name(enum kind kind, const char *path, const char *target, uint64_t inode) {
  char paths[2 * PATH_MAX], copy[PATH_MAX];
  struct stat folder = {0};
  int length = snprintf(paths, sizeof paths, "%s%c%s", path, 0, target);
  snprintf(copy, sizeof copy, "%s", *target ? target : path);
  stat(dirname(copy), &folder);
  append((struct record){.kind = kind, .path_bytes = length, .inode = inode, .folder = folder.st_ino}, paths, NULL, 0);
}

#define LOCKED(type, call, ...)                \
  pthread_mutex_lock(&mutex);                  \
  __VA_ARGS__;                                 \
  type result = call;                          \
  int failure = errno;                         \
  pthread_mutex_unlock(&mutex);                \
  errno = failure;                             \
  return result;

static void record_write(int fd, off64_t offset, const struct iovec *parts, int count) {
  struct stat info;
  fstat(fd, &info);
  if (offset < 0) offset = fcntl(fd, F_GETFL) & O_APPEND ? info.st_size : lseek64(fd, 0, SEEK_CUR);
  append((struct record){.kind = WRITE, .inode = info.st_ino, .offset = offset}, "", parts, count);
}

ssize_t write(int fd, const void *data, size_t bytes) {
  struct stat info;
  if (!is_recorded_file(fd, &info)) return REAL(write)(fd, data, bytes);
  struct iovec part = {(void *)data, bytes};
  LOCKED(ssize_t, REAL(write)(fd, data, bytes), record_write(fd, -1, &part, 1))
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct stat info;
  if (!is_recorded_file(fd, &info)) return REAL(writev)(fd, parts, count);
  LOCKED(ssize_t, REAL(writev)(fd, parts, count), record_write(fd, -1, parts, count))
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) {
  struct stat info;
  if (!is_recorded_file(fd, &info)) return REAL(pwrite64)(fd, data, bytes, offset);
  struct iovec part = {(void *)data, bytes};
  LOCKED(ssize_t, REAL(pwrite64)(fd, data, bytes, offset), record_write(fd, offset, &part, 1))
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  struct stat info;
  if (!is_recorded_file(fd, &info)) return REAL(pwritev64)(fd, parts, count, offset);
  LOCKED(ssize_t, REAL(pwritev64)(fd, parts, count, offset), record_write(fd, offset, parts, count))
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) { return pwrite64(fd, data, bytes, offset); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev64(fd, parts, count, offset); }

/* Programs that cannot use `copy_file_range` use `sendfile`. */
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes, unsigned flags) {
  struct stat info;
  if (!is_recorded_file(to, &info)) return REAL(copy_file_range)(from, from_offset, to, to_offset, bytes, flags);
  errno = EXDEV;
  return -1;
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t bytes) {
  struct stat info;
  if (!is_recorded_file(to, &info)) return REAL(sendfile64)(to, from, offset, bytes);
  char buffer[65536];
  off64_t at = offset ? *offset : lseek64(from, 0, SEEK_CUR);
  ssize_t read = pread64(from, buffer, bytes < sizeof buffer ? bytes : sizeof buffer, at);
  ssize_t written = read > 0 ? write(to, buffer, read) : read;
  if (written > 0 && offset) *offset += written;
  else if (written > 0) lseek64(from, at + written, SEEK_SET);
  return written;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t bytes) { return sendfile64(to, from, offset, bytes); }

int ftruncate64(int fd, off64_t size) {
  struct stat info;
  if (!is_recorded_file(fd, &info)) return REAL(ftruncate64)(fd, size);
  struct record record = {.kind = TRUNCATE, .inode = info.st_ino, .offset = size};
  LOCKED(int, REAL(ftruncate64)(fd, size), append(record, "", NULL, 0))
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int open_recorded(const char *path, int flags, mode_t mode) {
  struct stat info;
  pthread_mutex_lock(&mutex);
  int existed = lstat(path, &info) == 0;
  int fd = REAL(open)(path, flags, mode), failure = errno;
  if (fd >= 0 && fstat(fd, &info) == 0) {
    if (!existed) append_name(CREATE, path, "", info.st_ino);
    else if (flags & O_TRUNC) append((struct record){.kind = TRUNCATE, .inode = info.st_ino}, "", NULL, 0);
  }
  pthread_mutex_unlock(&mutex);
  errno = failure;
  return fd;
}

#define OPEN(real, path, flags)                                                                             \
  mode_t mode = 0;                                                                                          \
  if (flags & (O_CREAT | O_TMPFILE)) {                                                                      \
    va_list list;                                                                                           \
    va_start(list, flags);                                                                                  \
    mode = va_arg(list, mode_t);                                                                            \
    va_end(list);                                                                                           \
  }                                                                                                         \
  if ((flags & O_ACCMODE) != O_RDONLY && is_below_root(path)) return open_recorded(path, flags, mode);      \
  return real;

int open(const char *path, int flags, ...) { OPEN(REAL(open)(path, flags, mode), path, flags) }
int open64(const char *path, int flags, ...) { OPEN(REAL(open64)(path, flags, mode), path, flags) }
int openat(int folder, const char *path, int flags, ...) { OPEN(REAL(openat)(folder, path, flags, mode), path, flags) }

static int read_control(const char *name, char *text, size_t size) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", log_folder, name);
  int fd = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t bytes = read(fd, text, size - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = 0;
  return bytes > 0;
}

static int record_sync(int fd, int (*sync)(int)) {
  struct stat info;
  char text[PATH_MAX], path[PATH_MAX];
  if (log_file < 0 || fstat(fd, &info) != 0) return sync(fd);
  path_of(fd, path, sizeof path);
  if (!is_below_root(path) && strcmp(path, root) != 0) return sync(fd);
  if (read_control("slow-fsync", text, sizeof text)) usleep(1000 * atoi(text));
  int fails = read_control("fail-fsync", text, sizeof text) && strstr(path, text);
  struct record record = {.kind = fails ? FAILED_SYNC : SYNC, .inode = info.st_ino};
  errno = EIO;
  LOCKED(int, fails ? -1 : 0, append(record, "", NULL, 0); errno = EIO)
}

int fsync(int fd) { return record_sync(fd, REAL(fsync)); }
int fdatasync(int fd) { return record_sync(fd, REAL(fdatasync)); }

static uint64_t inode_of(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 ? info.st_ino : 0;
}

int rename(const char *from, const char *to) {
  if (!is_below_root(from) && !is_below_root(to)) return REAL(rename)(from, to);
  LOCKED(int, REAL(rename)(from, to), append_name(RENAME, from, to, inode_of(from)))
}

int link(const char *from, const char *to) {
  if (!is_below_root(to)) return REAL(link)(from, to);
  LOCKED(int, REAL(link)(from, to), append_name(LINK, to, "", inode_of(from)))
}

int unlink(const char *path) {
  if (!is_below_root(path)) return REAL(unlink)(path);
  LOCKED(int, REAL(unlink)(path), if (inode_of(path)) append_name(REMOVE, path, "", inode_of(path)))
}

int rmdir(const char *path) {
  if (!is_below_root(path)) return REAL(rmdir)(path);
  LOCKED(int, REAL(rmdir)(path), if (inode_of(path)) append_name(REMOVE, path, "", inode_of(path)))
}

int remove(const char *path) {
  if (!is_below_root(path)) return REAL(remove)(path);
  LOCKED(int, REAL(remove)(path), if (inode_of(path)) append_name(REMOVE, path, "", inode_of(path)))
}

int unlinkat(int folder, const char *name, int flags) {
  char path[PATH_MAX], whole[2 * PATH_MAX + 1];
  if (log_file < 0) return REAL(unlinkat)(folder, name, flags);
  if (name[0] == '/') snprintf(whole, sizeof whole, "%s", name);
  else snprintf(whole, sizeof whole, "%s/%s", path_of(folder, path, sizeof path), name);
  if (!is_below_root(whole)) return REAL(unlinkat)(folder, name, flags);
  LOCKED(int, REAL(unlinkat)(folder, name, flags), if (inode_of(whole)) append_name(REMOVE, whole, "", inode_of(whole)))
}

int mkdir(const char *path, mode_t mode) {
  if (!is_below_root(path)) return REAL(mkdir)(path, mode);
  pthread_mutex_lock(&mutex);
  int result = REAL(mkdir)(path, mode), failure = errno;
  if (result == 0) append_name(MAKE_FOLDER, path, "", inode_of(path));
  pthread_mutex_unlock(&mutex);
  errno = failure;
  return result;
}
