/* A mint and a fetch over PostgreSQL: hosts of one fleet resolve each other's
 * handles. schema.sql makes the tables.
 *
 *     struct shared_mint shared = {PQconnectdb("service=spans"), "session 7"};
 *     const newt_outcome *out = newt_fold(json, len, NULL, shared_mint_keep, &shared);
 *
 * libpq lets one thread at a time use a connection: give each thread its own. */
#ifndef SHARED_MINT_H
#define SHARED_MINT_H

#include <libpq-fe.h>
#include <newt_fold.h>

struct shared_mint {
    PGconn *connection; /* PQerrorMessage() has the latest failure */
    const char *session;
};

/* A newt_mint_fn. The span is committed when it returns 0; it declines where the
 * server does not answer or cannot keep it. */
int32_t shared_mint_keep(void *shared, const char *span, size_t span_len, char *handle,
                         size_t handle_cap, size_t *handle_len);

/* A newt_fetch_fn. */
newt_status shared_mint_load(void *shared, const char *handle, size_t handle_len, newt_sink *sink);

#endif
