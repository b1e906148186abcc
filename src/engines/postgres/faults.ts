/** What a failure of PostgreSQL means to us: it passes by itself, the operator must act, or it is a bug. */
import { DatabaseError } from 'pg'
import { Unavailable } from '../../ports/unavailable.ts'

/** This PostgreSQL is not what Pombo needs, and waiting does not help. */
export class UnfitPostgres extends Error {
  readonly exitCode = 78
}

/**
 * Lost connections, lost races, a full disk or too many clients, a lock not had in time, an operator's
 * intervention, trouble with the machine, and a server that may only be read since a fail-over.
 */
const PASSING = /^(08|40|53|55P03|57|58|25006)/

/** What is wanted is not ours to do. */
export const NO_RIGHT = '42501'

/** Who we are, or where we want to, is not known there. */
const NOT_LET_IN = /^(28|3D)/

/** An `Error` to throw instead of what the driver threw. Whatever is not PostgreSQL's own answer means it is away. */
export function toFault(error: unknown): Error {
  if (error instanceof UnfitPostgres || error instanceof Unavailable) return error
  if (error instanceof TypeError || error instanceof RangeError) return error
  if (!(error instanceof DatabaseError)) return new Unavailable('PostgreSQL does not answer', { cause: error })
  const code = error.code ?? ''
  if (PASSING.test(code)) return new Unavailable(`PostgreSQL cannot do it right now (${code})`, { cause: error })
  if (!NOT_LET_IN.test(code)) return error
  return new UnfitPostgres(`PostgreSQL does not let us in: ${error.message}; correct its URL`, { cause: error })
}
