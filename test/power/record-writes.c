/*
 * Loaded with LD_PRELOAD: records, in order, everything a process does to the files of one folder.
 *
 * A call holds one lock until its record is written, so the order of the records is the order of the changes. A sync
 * has two records, because threads sync while others write: it covers only what was recorded before its begin, and
 * promises that only once its end is recorded. sync_file_range promises nothing and is not recorded.
 *
 * Shared memory is not recorded either: SQLite maps only its -shm file, and builds it anew after a crash. Whether
 * every change was seen is found out by replaying the records (record.ts).
 *
 * A record is a header and its bytes: see recording.ts. Calls are made as system calls, without the C library.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__LP64__)
#error "only for 64-bit Linux"
#endif

#define MOST_FILES 65536
#define MOST_PARTS 1024
#define SAME_AS(name) __attribute__((alias(name)))

typedef char path_buffer[2 * PATH_MAX];

struct header {
  uint32_t kind;
  int32_t file;
  uint64_t value;
  uint32_t length;
  uint32_t flags;
};

/* What a descriptor of the folder refers to. Compared at every use, because a descriptor may be closed unseen. */
static struct {
  atomic_int is_recorded;
  int flags;
  dev_t device;
  ino_t inode;
} descriptors[MOST_FILES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int log_file = -1;
static uint64_t syncs;

static void fail(const char *what) {
  dprintf(STDERR_FILENO, "record-writes: %s: %s\n", what, strerror(errno));
  abort();
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("POMBO_POWER_LOG"), *wanted = getenv("POMBO_POWER_FOLDER");
  if (wanted == NULL || path == NULL) return;
  folder = strdup(wanted);
  log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) fail("cannot open the log");
  /* The processes that this one starts would mix their descriptors with ours. */
  unsetenv("LD_PRELOAD");
}

/* Keeps the error of the call that was recorded. */
static int unlock(int result, int error) {
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

static void put(struct header header, const struct iovec *parts, int count) {
  struct iovec all[MOST_PARTS + 1] = {{&header, sizeof header}};
  size_t left = header.length;
  for (int part = 0; part < count; part += 1) {
    all[part + 1] = (struct iovec){parts[part].iov_base, parts[part].iov_len < left ? parts[part].iov_len : left};
    left -= all[part + 1].iov_len;
  }
  long done = syscall(SYS_writev, log_file, all, count + 1);
  if (done != (long)(sizeof header + header.length)) fail("cannot write the log");
}

static void put_text(char kind, int file, int flags, const char *text, size_t length) {
  struct iovec part = {(void *)text, length};
  put((struct header){kind, file, 0, (uint32_t)length, (uint32_t)flags}, &part, 1);
}

/* The path below the folder; NULL if it is elsewhere. The folder itself is "". */
static const char *place(int at, const char *path, path_buffer buffer) {
  if (log_file < 0 || path == NULL) return NULL;
  if (path[0] != '/') {
    char link[64] = "/proc/self/cwd";
    if (at != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, buffer, PATH_MAX);
    if (length < 0) return NULL;
    snprintf(buffer + length, PATH_MAX, "/%s", path);
    path = buffer;
  }
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || (path[length] != '\0' && path[length] != '/')) return NULL;
  return path + length + strspn(path + length, "/");
}

static int may_be_recorded(int file) {
  return log_file >= 0 && file >= 0 && file < MOST_FILES && atomic_load(&descriptors[file].is_recorded);
}

static int is_recorded(int file) {
  struct stat found;
  if (!may_be_recorded(file)) return 0;
  if (fstat(file, &found) != 0) return 0;
  return found.st_dev == descriptors[file].device && found.st_ino == descriptors[file].inode;
}

static void forget(int file) {
  if (file >= 0 && file < MOST_FILES) atomic_store(&descriptors[file].is_recorded, 0);
}

static int open_recorded(int at, const char *path, int flags, mode_t mode) {
  path_buffer buffer;
  const char *name = place(at, path, buffer);
  if (name == NULL) {
    int file = (int)syscall(SYS_openat, at, path, flags, mode);
    forget(file);
    return file;
  }
  pthread_mutex_lock(&lock);
  int file = (int)syscall(SYS_openat, at, path, flags, mode), error = errno;
  struct stat found;
  if (file >= 0) {
    if (file >= MOST_FILES || fstat(file, &found) != 0) fail("cannot record a descriptor");
    descriptors[file].flags = flags;
    descriptors[file].device = found.st_dev;
    descriptors[file].inode = found.st_ino;
    atomic_store(&descriptors[file].is_recorded, 1);
    put_text('O', file, flags & (O_CREAT | O_TRUNC), name, strlen(name));
  }
  return unlock(file, error);
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_recorded(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) SAME_AS("open");

int openat(int at, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_recorded(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) SAME_AS("openat");

int close(int file) {
  forget(file);
  return (int)syscall(SYS_close, file);
}

/* `at` is the offset, or -1 for the position of the descriptor. */
static ssize_t write_recorded(int file, const struct iovec *parts, int count, off_t at) {
  pthread_mutex_lock(&lock);
  int is_known = is_recorded(file);
  ssize_t done = at < 0 ? syscall(SYS_writev, file, parts, count) : syscall(SYS_pwritev, file, parts, count, at, 0L);
  int error = errno;
  if (is_known && done > 0) {
    struct stat now;
    if (fstat(file, &now) != 0) fail("cannot find the size of a file");
    /* Linux appends to such a file, whatever the offset. */
    if (descriptors[file].flags & O_APPEND) at = now.st_size - done;
    else if (at < 0) at = lseek(file, 0, SEEK_CUR) - done;
    put((struct header){'W', file, (uint64_t)at, (uint32_t)done, 0}, parts, count);
  }
  unlock(0, error);
  return done;
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (!may_be_recorded(file)) return syscall(SYS_write, file, bytes, length);
  return write_recorded(file, &(struct iovec){(void *)bytes, length}, 1, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  if (!may_be_recorded(file)) return syscall(SYS_pwrite64, file, bytes, length, at);
  return write_recorded(file, &(struct iovec){(void *)bytes, length}, 1, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t at) SAME_AS("pwrite");

ssize_t writev(int file, const struct iovec *parts, int count) {
  if (!may_be_recorded(file)) return syscall(SYS_writev, file, parts, count);
  return write_recorded(file, parts, count, -1);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  if (!may_be_recorded(file)) return syscall(SYS_pwritev, file, parts, count, at, 0L);
  return write_recorded(file, parts, count, at);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t at) SAME_AS("pwritev");

int ftruncate(int file, off_t size) {
  pthread_mutex_lock(&lock);
  int is_known = is_recorded(file), result = (int)syscall(SYS_ftruncate, file, size), error = errno;
  if (is_known && result == 0) put((struct header){'T', file, (uint64_t)size, 0, 0}, NULL, 0);
  return unlock(result, error);
}
int ftruncate64(int file, off_t size) SAME_AS("ftruncate");

int fallocate(int file, int mode, off_t at, off_t length) {
  pthread_mutex_lock(&lock);
  int is_known = is_recorded(file);
  /* Holes and the like are not part of the model. */
  if (is_known && mode != 0) return unlock(-1, EOPNOTSUPP);
  int result = (int)syscall(SYS_fallocate, file, mode, at, length), error = errno;
  if (is_known && result == 0) put((struct header){'A', file, (uint64_t)(at + length), 0, 0}, NULL, 0);
  return unlock(result, error);
}
int fallocate64(int file, int mode, off_t at, off_t length) SAME_AS("fallocate");

int posix_fallocate(int file, off_t at, off_t length) { return fallocate(file, 0, at, length) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off_t at, off_t length) SAME_AS("posix_fallocate");

int unlinkat(int at, const char *path, int flags) {
  path_buffer buffer;
  const char *name = place(at, path, buffer);
  if (name == NULL) return (int)syscall(SYS_unlinkat, at, path, flags);
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_unlinkat, at, path, flags), error = errno;
  if (result == 0 && !(flags & AT_REMOVEDIR)) put_text('U', -1, 0, name, strlen(name));
  return unlock(result, error);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int remove(const char *path) {
  int result = unlink(path);
  return result != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

/* `make` is rename or link. */
static int name_recorded(char kind, int (*make)(const char *, const char *), const char *from, const char *to) {
  path_buffer one, other, names;
  const char *known = place(AT_FDCWD, from, one), *given = place(AT_FDCWD, to, other);
  pthread_mutex_lock(&lock);
  if ((known == NULL) != (given == NULL)) return unlock(-1, EXDEV);
  int result = make(from, to), error = errno;
  if (result == 0 && known != NULL) {
    int length = snprintf(names, sizeof names, "%s%c%s", known, '\0', given);
    put_text(kind, -1, 0, names, (size_t)length);
  }
  return unlock(result, error);
}

static int make_rename(const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int make_link(const char *from, const char *to) {
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int rename(const char *from, const char *to) { return name_recorded('R', make_rename, from, to); }

int link(const char *from, const char *to) { return name_recorded('L', make_link, from, to); }

/* `is_data` promises less: the data and the size. */
static int sync_recorded(int file, long number, int is_data) {
  pthread_mutex_lock(&lock);
  int is_known = is_recorded(file);
  uint64_t sync = is_known ? ++syncs : 0;
  if (is_known) put((struct header){'B', file, sync, 0, (uint32_t)is_data}, NULL, 0);
  pthread_mutex_unlock(&lock);
  int result = (int)syscall(number, file), error = errno;
  pthread_mutex_lock(&lock);
  if (is_known && result == 0) put((struct header){'E', file, sync, 0, (uint32_t)is_data}, NULL, 0);
  return unlock(result, error);
}

int fsync(int file) { return sync_recorded(file, SYS_fsync, 0); }

int fdatasync(int file) { return sync_recorded(file, SYS_fdatasync, 1); }
