/** Classifies failures of PostgreSQL: transient, for the operator to fix, or a bug. */
import { DatabaseError } from 'pg'
import { DatabaseUnavailable, Unavailable } from '../../ports/unavailable.ts'

/** This PostgreSQL does not meet Pombo's requirements, and waiting does not help. */
export class UnsupportedPostgres extends Error {
  readonly exitCode = 78
}

/**
 * Transient: lost connections, serialization failures, a full disk or too many clients, lock timeouts, operator
 * intervention, system errors, and a server that is read-only since a failover.
 */
const TRANSIENT = /^(08|40|53|55P03|57|58|25006)/

/** Insufficient privilege. */
export const NO_RIGHT = '42501'

/** Invalid credentials or an unknown database. */
const LOGIN_REFUSED = /^(28|3D)/

/** The error to throw instead of the driver's. Anything that is not PostgreSQL's own answer means it is unreachable. */
export function toFault(error: unknown): Error {
  if (error instanceof UnsupportedPostgres || error instanceof Unavailable) return error
  if (error instanceof TypeError || error instanceof RangeError) return error
  if (!(error instanceof DatabaseError)) return new DatabaseUnavailable('PostgreSQL does not answer', { cause: error })
  const code = error.code ?? ''
  if (TRANSIENT.test(code)) {
    return new DatabaseUnavailable(`PostgreSQL is temporarily unavailable (${code})`, { cause: error })
  }
  if (!LOGIN_REFUSED.test(code)) return error
  return new UnsupportedPostgres(`PostgreSQL refused the login: ${error.message}; correct its URL`, { cause: error })
}
