/*
 * Records what a process does to the files below one folder, in order and with contents: preloaded by the proof of power
 * cuts. POWER_CUT_FOLDER is the folder's real path; POWER_CUT_LOG is the log, outside of it. Several processes may share a log.
 *
 * An entry is a line "<kind> <file> <offset> <length>\n" and <length> bytes, written by one call:
 *   C  file <file> is created under the name in the bytes      W  bytes are written at <offset>
 *   T  the file is cut or extended to <offset> bytes           S  the file is synced
 *   U  the name in the bytes is removed                        D  the folder is synced
 * An entry stands in the log before a later call of any process begins. Only calls through the C library are seen; SQLite has
 * no others. Calls that the model of a disk does not know end the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536

enum { OTHER = 0, A_FILE, A_FOLDER };
static char kinds[FILES];
static unsigned long long numbers[FILES];
static const char *folder;
static size_t folder_length;
static int log_file = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void stop(const char *why) {
  fprintf(stderr, "record-file-calls: %s\n", why);
  abort();
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("POWER_CUT_LOG");
  folder = getenv("POWER_CUT_FOLDER");
  if (folder == NULL || path == NULL) {
    folder = NULL;
    return;
  }
  folder_length = strlen(folder);
  __typeof__(&open) real = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
  log_file = real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (log_file < 0) stop("the log cannot be opened");
}

/* Both locks: one for the threads of a process, one for processes. */
static void lock(void) {
  pthread_mutex_lock(&mutex);
  flock(log_file, LOCK_EX);
}

static void unlock(void) {
  flock(log_file, LOCK_UN);
  pthread_mutex_unlock(&mutex);
}

static void record(char kind, unsigned long long file, long long offset, const void *bytes, size_t length) {
  char line[96];
  int size = snprintf(line, sizeof line, "%c %llu %lld %zu\n", kind, file, offset, length);
  struct iovec parts[2] = {{line, size}, {(void *)bytes, length}};
  ssize_t (*real)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
  if (real(log_file, parts, 2) != (ssize_t)(size + length)) stop("the log cannot be written");
}

/* Name of a path within the folder; empty for the folder itself; NULL outside. */
static const char *name_in_folder(const char *path) {
  if (folder == NULL || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return path + folder_length;
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static int is_kind(int file, char kind) { return file >= 0 && file < FILES && kinds[file] == kind; }

static int opened(int file, const char *name, int flags, int was_there) {
  struct stat found;
  if (file < 0 || name == NULL) return file;
  if (file >= FILES || fstat(file, &found) != 0) stop("too many open files");
  kinds[file] = S_ISDIR(found.st_mode) ? A_FOLDER : A_FILE;
  numbers[file] = found.st_ino;
  if (kinds[file] == A_FOLDER) return file;
  if (!was_there) record('C', found.st_ino, 0, name, strlen(name));
  else if (flags & O_TRUNC) record('T', found.st_ino, 0, "", 0);
  return file;
}

#define OPEN(function)                                        \
  int function(const char *path, int flags, ...) {            \
    REAL(function);                                           \
    mode_t mode = 0;                                          \
    if (flags & (O_CREAT | __O_TMPFILE)) {                    \
      va_list rest;                                           \
      va_start(rest, flags);                                  \
      mode = va_arg(rest, mode_t);                            \
      va_end(rest);                                           \
    }                                                         \
    const char *name = name_in_folder(path);                  \
    if (name == NULL) return real(path, flags, mode);         \
    lock();                                                   \
    int was_there = access(path, F_OK) == 0;                  \
    int file = opened(real(path, flags, mode), name, flags, was_there); \
    unlock();                                                 \
    return file;                                              \
  }
OPEN(open)
OPEN(open64)

int close(int file) {
  REAL(close);
  if (file >= 0 && file < FILES) kinds[file] = OTHER;
  return real(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
  REAL(write);
  if (!is_kind(file, A_FILE)) return real(file, bytes, length);
  lock();
  ssize_t written = real(file, bytes, length);
  if (written > 0) record('W', numbers[file], lseek(file, 0, SEEK_CUR) - written, bytes, written);
  unlock();
  return written;
}

#define PWRITE(function, offset_type)                                                  \
  ssize_t function(int file, const void *bytes, size_t length, offset_type offset) {   \
    REAL(function);                                                                    \
    if (!is_kind(file, A_FILE)) return real(file, bytes, length, offset);              \
    lock();                                                                            \
    ssize_t written = real(file, bytes, length, offset);                               \
    if (written > 0) record('W', numbers[file], offset, bytes, written);               \
    unlock();                                                                          \
    return written;                                                                    \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(function, offset_type)                        \
  int function(int file, offset_type length) {                 \
    REAL(function);                                            \
    if (!is_kind(file, A_FILE)) return real(file, length);     \
    lock();                                                    \
    int failed = real(file, length);                           \
    if (!failed) record('T', numbers[file], length, "", 0);    \
    unlock();                                                  \
    return failed;                                             \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(function)                                                       \
  int function(int file) {                                                   \
    REAL(function);                                                          \
    int is_file = is_kind(file, A_FILE);                                     \
    if (!is_file && !is_kind(file, A_FOLDER)) return real(file);             \
    lock();                                                                  \
    int failed = real(file);                                                 \
    if (!failed) record(is_file ? 'S' : 'D', numbers[file], 0, "", 0);       \
    unlock();                                                                \
    return failed;                                                           \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  REAL(unlink);
  const char *name = name_in_folder(path);
  if (name == NULL) return real(path);
  lock();
  int failed = real(path);
  if (!failed) record('U', 0, 0, name, strlen(name));
  unlock();
  return failed;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (name_in_folder(from) != NULL || name_in_folder(to) != NULL) stop("rename is not in the model of a disk");
  return real(from, to);
}

#define UNKNOWN(type, function, parameters, arguments)                      \
  type function parameters {                                                \
    REAL(function);                                                         \
    if (is_kind(file, A_FILE)) stop(#function " is not in the model of a disk"); \
    return real arguments;                                                  \
  }
UNKNOWN(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count))
UNKNOWN(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t offset), (file, parts, count, offset))
UNKNOWN(int, fallocate, (int file, int mode, off_t offset, off_t length), (file, mode, offset, length))
UNKNOWN(int, posix_fallocate, (int file, off_t offset, off_t length), (file, offset, length))
