/*
 * Loaded with LD_PRELOAD: a disk that is full, or that fails to sync, for the files of one folder.
 *
 * The control block is a file in shared memory (disk-control.ts): the process under test and the one that tests it read
 * and change it while this runs. Writes are numbered from one; from `full_from` on they fail with ENOSPC, until
 * `room_after` of them have failed or `full_from` is set to zero.
 *
 * A failed sync is reported as Linux reports it: once to every descriptor of the file. Syncs of that file that end later
 * have failed too. The failure is logged only when whoever was answered before it had time to note so, unless that
 * thread is the one that has to wait.
 *
 * Calls are made as system calls, without the C library.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__LP64__)
#error "only for 64-bit Linux"
#endif

#define MOST_FILES 65536
#define NOTED_AFTER_MS 50
#define SAME_AS(name) __attribute__((alias(name)))

/* In the order of disk-control.ts. */
struct control {
  uint64_t writes;
  uint64_t full_from;
  uint64_t refused;
  uint64_t room_after;
  /* Overwriting needs room too, and so does creating a file: a file system that copies on write. */
  uint64_t is_copying;
  /* The first write that fails is made in part. */
  uint64_t is_torn;
  uint64_t syncs;
  uint64_t fails_sync;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int log_file = -1;
static volatile struct control *control;

/* The file whose sync has failed, and the descriptors that know. */
static struct stat failed;
static int has_failed;
static char knows[MOST_FILES];

static void fail(const char *what) {
  dprintf(STDERR_FILENO, "fail-writes: %s: %s\n", what, strerror(errno));
  abort();
}

static int open_unseen(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void start(void) {
  const char *wanted = getenv("POMBO_DISK_FOLDER"), *path = getenv("POMBO_DISK_CONTROL"), *log = getenv("POMBO_DISK_LOG");
  if (wanted == NULL || path == NULL || log == NULL) return;
  int file = open_unseen(path, O_RDWR);
  if (file < 0) fail("cannot open the control block");
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) fail("cannot map the control block");
  syscall(SYS_close, file);
  log_file = open_unseen(log, O_WRONLY | O_CREAT | O_APPEND);
  if (log_file < 0) fail("cannot open the log");
  folder = strdup(wanted);
  control = mapped;
  unsetenv("LD_PRELOAD");
}

/* The path of an open file below the folder; NULL if it is elsewhere. */
static const char *place(int file, char path[PATH_MAX]) {
  if (control == NULL || file < 0) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = '\0';
  size_t prefix = strlen(folder);
  if (strncmp(path, folder, prefix) != 0 || (path[prefix] != '\0' && path[prefix] != '/')) return NULL;
  return path + prefix + strspn(path + prefix, "/");
}

static void note(const char *kind, const char *name, uint64_t number) {
  char line[PATH_MAX + 128];
  const char *thread = syscall(SYS_gettid) == getpid() ? "main" : "other";
  int length = snprintf(line, sizeof line, "{\"kind\":\"%s\",\"file\":\"%s\",\"number\":%lu,\"thread\":\"%s\"}\n", kind,
                        name, number, thread);
  if (syscall(SYS_write, log_file, line, length) != length) fail("cannot write the log");
}

/* Numbers a call that needs room. Whether there is none. */
static int is_refused(const char *name) {
  uint64_t number = ++control->writes;
  if (control->full_from == 0 || number < control->full_from) return 0;
  if (control->room_after > 0 && control->refused >= control->room_after) return 0;
  if (control->refused++ == 0) note("disk-full", name, number);
  return 1;
}

static int refuse_locked(void) {
  pthread_mutex_unlock(&lock);
  errno = ENOSPC;
  return -1;
}

static size_t length_of(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int part = 0; part < count; part += 1) length += parts[part].iov_len;
  return length;
}

static ssize_t write_anyway(int file, const struct iovec *parts, int count, off_t at) {
  return at < 0 ? syscall(SYS_writev, file, parts, count) : syscall(SYS_pwritev, file, parts, count, at, 0L);
}

static int needs_room(int file, off_t at, size_t length) {
  struct stat now;
  if (control->is_copying) return length > 0;
  if (fstat(file, &now) != 0 || !S_ISREG(now.st_mode)) return 0;
  off_t from = fcntl(file, F_GETFL) & O_APPEND ? now.st_size : at < 0 ? lseek(file, 0, SEEK_CUR) : at;
  return from + (off_t)length > now.st_size;
}

/* `at` is the offset, or -1 for the position of the descriptor. */
static ssize_t write_limited(int file, const struct iovec *parts, int count, off_t at) {
  char path[PATH_MAX];
  const char *name = place(file, path);
  if (name == NULL) return write_anyway(file, parts, count, at);
  pthread_mutex_lock(&lock);
  int is_first = control->refused == 0;
  if (needs_room(file, at, length_of(parts, count)) && is_refused(name)) {
    /* What fits is written, and only the rest fails. */
    size_t half = parts[0].iov_len / 2;
    if (!is_first || !control->is_torn || half == 0) return refuse_locked();
    struct iovec part = {parts[0].iov_base, half};
    ssize_t done = write_anyway(file, &part, 1, at);
    pthread_mutex_unlock(&lock);
    return done;
  }
  ssize_t done = write_anyway(file, parts, count, at);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}

ssize_t write(int file, const void *bytes, size_t length) {
  return write_limited(file, &(struct iovec){(void *)bytes, length}, 1, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  return write_limited(file, &(struct iovec){(void *)bytes, length}, 1, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t at) SAME_AS("pwrite");

ssize_t writev(int file, const struct iovec *parts, int count) { return write_limited(file, parts, count, -1); }

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  return write_limited(file, parts, count, at);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t at) SAME_AS("pwritev");

/* `size` is the size of the file after a call that changes it. */
static int resize_limited(int file, off_t size, long number, long one, long two, long three) {
  char path[PATH_MAX];
  const char *name = place(file, path);
  struct stat now;
  pthread_mutex_lock(&lock);
  int grows = name != NULL && fstat(file, &now) == 0 && (control->is_copying || size > now.st_size);
  if (grows && is_refused(name)) return refuse_locked();
  int result = (int)syscall(number, file, one, two, three), error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int ftruncate(int file, off_t size) { return resize_limited(file, size, SYS_ftruncate, size, 0, 0); }
int ftruncate64(int file, off_t size) SAME_AS("ftruncate");

int fallocate(int file, int mode, off_t at, off_t length) {
  return resize_limited(file, at + length, SYS_fallocate, mode, at, length);
}
int fallocate64(int file, int mode, off_t at, off_t length) SAME_AS("fallocate");

int posix_fallocate(int file, off_t at, off_t length) { return fallocate(file, 0, at, length) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off_t at, off_t length) SAME_AS("posix_fallocate");

static int create_limited(int at, const char *path, int flags, mode_t mode) {
  size_t prefix = control == NULL ? 0 : strlen(folder);
  int is_ours = prefix > 0 && strncmp(path, folder, prefix) == 0 && path[prefix] == '/';
  if (is_ours && (flags & O_CREAT) && control->is_copying && faccessat(at, path, F_OK, 0) != 0) {
    pthread_mutex_lock(&lock);
    if (is_refused(path + prefix + 1)) return refuse_locked();
    pthread_mutex_unlock(&lock);
  }
  int file = (int)syscall(SYS_openat, at, path, flags, mode);
  if (file >= 0 && file < MOST_FILES) knows[file] = 0;
  return file;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return create_limited(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) SAME_AS("open");

int openat(int at, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return create_limited(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) SAME_AS("openat");

static int is_failed(int file) {
  struct stat now;
  if (!has_failed || file >= MOST_FILES || knows[file] || fstat(file, &now) != 0) return 0;
  return now.st_dev == failed.st_dev && now.st_ino == failed.st_ino;
}

static int sync_limited(int file, long number) {
  char path[PATH_MAX];
  const char *name = place(file, path);
  if (name == NULL) return (int)syscall(number, file);
  pthread_mutex_lock(&lock);
  uint64_t sync = ++control->syncs;
  int fails = sync == control->fails_sync;
  if (fails && fstat(file, &failed) != 0) fail("cannot tell files apart");
  has_failed |= fails;
  pthread_mutex_unlock(&lock);
  int result = (int)syscall(number, file), error = errno;
  if (fails) {
    nanosleep(&(struct timespec){0, NOTED_AFTER_MS * 1000000L}, NULL);
    note("sync-failed", name, sync);
  }
  pthread_mutex_lock(&lock);
  if (is_failed(file)) {
    knows[file] = 1;
    result = -1;
    error = EIO;
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int file) { return sync_limited(file, SYS_fsync); }

int fdatasync(int file) { return sync_limited(file, SYS_fdatasync); }
