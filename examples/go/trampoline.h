#ifndef NEWTFOLD_TRAMPOLINE_H
#define NEWTFOLD_TRAMPOLINE_H

#include <newt_fold.h>

/* newt_fold() with a Go mint, named by its cgo.Handle: a number, because C must
 * hold no pointer of Go's. 0 is no mint. */
const newt_outcome *newtfold_fold(const char *json, size_t json_len, const newt_config *config,
                                  uintptr_t mint);

#endif
