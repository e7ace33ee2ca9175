/* Starts two programs many times, taking turns, and tells how long each lived:
 * taking_turns TIMES EMPTY PROGRAM [ARGUMENT...]. What they print goes nowhere. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* From the start of a process to its end. posix_spawn copies no page tables, so
 * that this program does not count. */
static double life(char **command, const posix_spawn_file_actions_t *quiet) {
    pid_t child;
    int status;
    double start = milliseconds();
    if (posix_spawn(&child, command[0], quiet, NULL, command, environ) ||
        waitpid(child, &status, 0) != child || status) {
        fprintf(stderr, "%s fails\n", command[0]);
        exit(1);
    }
    return milliseconds() - start;
}

static int shorter(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    size_t times = argc > 3 ? (size_t)atoi(argv[1]) : 0;
    double *empty = calloc(times, sizeof *empty), *folds = calloc(times, sizeof *folds);
    char *nothing[] = {argc > 2 ? argv[2] : NULL, NULL};
    posix_spawn_file_actions_t quiet;
    if (times == 0 || !empty || !folds || posix_spawn_file_actions_init(&quiet) ||
        posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0))
        return 2;
    for (size_t n = 0; n < times; n++) {
        empty[n] = life(nothing, &quiet);
        folds[n] = life(argv + 3, &quiet);
    }
    qsort(empty, times, sizeof *empty, shorter);
    qsort(folds, times, sizeof *folds, shorter);
    size_t middle = times / 2;
    printf("%-17s %8s %8s\n", "milliseconds", "best", "median");
    printf("%-17s %8.3f %8.3f\n", "an empty process", empty[0], empty[middle]);
    printf("%-17s %8.3f %8.3f\n", "one that folds", folds[0], folds[middle]);
    printf("%-17s %8.3f %8.3f\n", "difference", folds[0] - empty[0], folds[middle] - empty[middle]);
    posix_spawn_file_actions_destroy(&quiet);
    free(empty);
    free(folds);
    return 0;
}
