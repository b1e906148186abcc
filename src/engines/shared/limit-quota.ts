/** Which rows of limits count against the quota of a tenant, in SQL. A list of scopes, so that an index can be used. */

/** Not those of single users, which are as many as users, and in no process's memory. */
export const COUNTS_AS_LIMIT = `(scope in ('tenant', 'account', 'recipient') or scope = 'user' and key = '*')`
