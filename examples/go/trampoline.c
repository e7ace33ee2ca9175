#include "trampoline.h"
#include "_cgo_export.h"

/* Go knows no const, and no type that says it. */
static int32_t mint(void *call, const char *span, size_t span_len, char *handle, size_t handle_cap,
                    size_t *handle_len)
{
    return newtfoldMint((uintptr_t)call, (char *)span, span_len, handle, handle_cap, handle_len);
}

static newt_status fetch(void *call, const char *handle, size_t handle_len, newt_sink *sink)
{
    return newtfoldFetch((uintptr_t)call, (char *)handle, handle_len, sink);
}

const newt_outcome *newtfold_fold(const char *json, size_t json_len, const newt_config *config,
                                  uintptr_t call)
{
    return newt_fold(json, json_len, config, call ? mint : NULL, (void *)call);
}

const newt_outcome *newtfold_expand(const char *json, size_t json_len, const newt_config *config,
                                    uintptr_t call)
{
    return newt_expand(json, json_len, config, call ? fetch : NULL, (void *)call);
}
