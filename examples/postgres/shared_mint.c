#include "shared_mint.h"

#include <limits.h>
#include <string.h>

enum { TEXT = 0, BINARY = 1 };

/* Calls a function of schema.sql for the session. Each call is a transaction of
 * its own, committed when the answer is here. NULL if it failed or `bytes` is
 * over what the protocol can say. */
static PGresult *call(const struct shared_mint *shared, const char *query, const char *bytes,
                      size_t len, int format)
{
    if (len > INT_MAX)
        return NULL;
    const char *values[] = {shared->session, bytes};
    const int lengths[] = {0, (int)len};
    const int formats[] = {TEXT, format};
    PGresult *result =
        PQexecParams(shared->connection, query, 2, NULL, values, lengths, formats, BINARY);
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        return result;
    PQclear(result);
    return NULL;
}

int32_t shared_mint_keep(void *shared, const char *span, size_t span_len, char *handle,
                         size_t handle_cap, size_t *handle_len)
{
    PGresult *minted =
        call(shared, "SELECT mint_span($1::text, $2::bytea)", span, span_len, BINARY);
    if (!minted)
        return 1;
    size_t len = (size_t)PQgetlength(minted, 0, 0);
    if (len <= handle_cap)
        memcpy(handle, PQgetvalue(minted, 0, 0), *handle_len = len);
    PQclear(minted);
    return len <= handle_cap ? 0 : 1;
}

newt_status shared_mint_load(void *shared, const char *handle, size_t handle_len, newt_sink *sink)
{
    PGresult *found =
        call(shared, "SELECT fetch_span($1::text, $2::text)", handle, handle_len, BINARY);
    if (!found)
        return NEWT_ERR_STORE;
    newt_status status = NEWT_ERR_NOT_FOUND;
    if (!PQgetisnull(found, 0, 0)) {
        newt_sink_write(sink, PQgetvalue(found, 0, 0), (size_t)PQgetlength(found, 0, 0));
        status = NEWT_OK;
    }
    PQclear(found);
    return status;
}
