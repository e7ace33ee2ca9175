#ifndef NEWTFOLD_TRAMPOLINE_H
#define NEWTFOLD_TRAMPOLINE_H

#include <newt_fold.h>

/* The library's functions with callbacks in Go. Those are named by a cgo.Handle,
 * a number, because C must hold no pointer of Go's; 0 is no callback. */
const newt_outcome *newtfold_fold(const char *json, size_t json_len, const newt_config *config,
                                  uintptr_t call);
const newt_outcome *newtfold_expand(const char *json, size_t json_len, const newt_config *config,
                                    uintptr_t call);

#endif
