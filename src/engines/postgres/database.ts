/**
 * The way to PostgreSQL: every statement runs in a transaction of its own, under the role it needs.
 * A transaction is sent in one go, so it costs one round trip.
 */
import { Pool, types } from 'pg'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { toFault } from './faults.ts'

export type Rows = readonly Readonly<Record<string, unknown>>[]
type Statement = Readonly<{ text: string; values?: unknown[] }>

const CONNECT_MS = 2_000
const STATEMENT_MS = 4_000
/** A server that hangs does not keep its own time: then we stop waiting for it. */
const ANSWER_MS = 5_000
const CONNECTIONS = 10
const INT8 = types.builtins.INT8

export function openPool(url: string, connections = CONNECTIONS): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    fallback_application_name: 'pombo',
    // Positions and times are whole numbers well below 2^53.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  // A connection that breaks while nobody uses it is replaced when somebody needs one.
  pool.on('error', () => undefined)
  return pool
}

/** A role is taken on until the transaction ends; whoever takes on none sees nothing. */
const begin = (role: 'pombo_tenant' | 'pombo_system'): Statement => ({
  text: `begin; set local role ${role}; set local statement_timeout = ${STATEMENT_MS}`,
})
const AS_TENANT = begin('pombo_tenant')
const AS_SYSTEM = begin('pombo_system')
const COMMIT: Statement = { text: 'commit' }
const onlyFor = (tenantId: TenantId): Statement => ({
  text: `select set_config('pombo.tenant', $1, true)`,
  values: [tenantId],
})

export class Database implements AsyncDisposable {
  readonly #pool: Pool
  readonly #check: (pool: Pool) => Promise<void>
  #checked: Promise<void> | undefined

  /** `check` is asked before the first statement, and again until it has passed. */
  constructor(pool: Pool, check: (pool: Pool) => Promise<void>) {
    this.#pool = pool
    this.#check = check
  }

  /** One statement for one tenant: row-level security hides all others from it. */
  async asTenant(tenantId: TenantId, text: string, values: unknown[]): Promise<Rows> {
    await this.ready()
    return transact(this.#pool, [AS_TENANT, onlyFor(tenantId)], { text, values })
  }

  /** One statement for whoever keeps the index of all tenants. */
  async asSystem(text: string, values: unknown[] = []): Promise<Rows> {
    await this.ready()
    return asSystem(this.#pool, text, values)
  }

  ready(): Promise<void> {
    this.#checked ??= this.#check(this.#pool).catch((error: unknown) => {
      this.#checked = undefined
      throw error
    })
    return this.#checked
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

export const asSystem = (pool: Pool, text: string, values: unknown[] = []): Promise<Rows> =>
  transact(pool, [AS_SYSTEM], { text, values })

const ignore = (): void => undefined

async function transact(pool: Pool, before: readonly Statement[], statement: Statement): Promise<Rows> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toFault(error)
  })
  client.on('error', ignore)
  // Each waits for its own answer; after a failure PostgreSQL refuses the rest, and the commit rolls back.
  const sent = [...before, statement, COMMIT].map(({ text, values }) => client.query(text, values))
  const answers = await Promise.allSettled(sent)
  client.off('error', ignore)

  const failure = answers.find((answer) => answer.status === 'rejected')
  const fault = failure === undefined ? undefined : toFault(failure.reason)
  // After what passes by itself the connection is not to be trusted; after a bug it is as good as before.
  client.release(fault instanceof Unavailable)
  if (fault !== undefined) throw fault
  const answer = answers[before.length]
  return answer?.status === 'fulfilled' ? (answer.value.rows as Rows) : []
}
