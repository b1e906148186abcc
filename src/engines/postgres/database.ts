/**
 * Access to PostgreSQL: every statement runs in a transaction of its own, under the role it needs. A transaction is
 * pipelined, so it costs one round trip. While all connections are in use, tenants take turns.
 */
import { Pool, type PoolClient, type QueryResult, types } from 'pg'
import type { TenantId } from '../../domain/ids.ts'
import { FairTurns, type Release } from '../../lib/fair-turns.ts'
import { DatabaseUnavailable, Unavailable } from '../../ports/unavailable.ts'
import { toFault } from './faults.ts'

export type Rows = readonly Readonly<Record<string, unknown>>[]
export type Statement = Readonly<{ text: string; values?: unknown[] }>

/** The result of an act inside an open transaction, and what to write; without `write` the transaction changes nothing. */
export type ActResult<Value> = Readonly<{ value: Value; write?: Statement }>

/** `fault` means that the write may not have been committed. */
export type Done<Value> = Readonly<{ value: Value; fault?: Error }>

const CONNECT_MS = 2_000
const STATEMENT_MS = 4_000
/** A hanging server does not enforce its own timeout: then we stop waiting. */
const ANSWER_MS = 5_000
/** The longest that rows stay locked while an act runs. */
const HOLD_MS = 10_000
const LOCK_MS = 2_000
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
    // Positions and times are integers well below 2^53.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  // A connection that breaks while idle is replaced when one is needed; one that breaks in use fails its statements.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** A role is set until the transaction ends; without a role the login sees nothing. */
const actAs = (role: 'pombo_tenant' | 'pombo_system'): string =>
  `set local role ${role}; set local statement_timeout = ${STATEMENT_MS}`
const AS_TENANT: Statement = { text: `begin; ${actAs('pombo_tenant')}` }
const AS_SYSTEM: Statement = { text: `begin; ${actAs('pombo_system')}` }
const HOLDING: Statement = {
  text: `${AS_SYSTEM.text}; set local lock_timeout = ${LOCK_MS}; set local idle_in_transaction_session_timeout = ${HOLD_MS}`,
}
const COMMIT: Statement = { text: 'commit' }
const ROLLBACK: Statement = { text: 'rollback' }
const onlyFor = (tenantId: TenantId): Statement => ({
  text: `select set_config('pombo.tenant', $1, true)`,
  values: [tenantId],
})

/** What is not for one tenant has turns of its own. */
type Turn = TenantId | typeof SYSTEM
const SYSTEM = Symbol('system')

export class Database implements AsyncDisposable {
  readonly #pool: Pool
  readonly #turns: FairTurns<Turn>
  readonly #check: (pool: Pool) => Promise<unknown>
  #checked: Promise<unknown> | undefined

  /** `check` runs before the first statement, and again until it has passed. */
  constructor(pool: Pool, check: (pool: Pool) => Promise<unknown>) {
    this.#pool = pool
    this.#turns = new FairTurns({ atOnce: pool.options.max, waiting: Number.POSITIVE_INFINITY })
    this.#check = check
  }

  /** One statement for one tenant: row-level security hides all others. `first` runs before it, for its effect. */
  async asTenant(tenantId: TenantId, text: string, values: unknown[], first: readonly Statement[] = []): Promise<Rows> {
    await this.ready()
    return this.#inTurn(tenantId, () =>
      transact(this.#pool, [AS_TENANT, onlyFor(tenantId), ...first], { text, values }),
    )
  }

  /** One statement across all tenants; `first` runs before it, for its effect. */
  async asSystem(text: string, values: unknown[] = [], first: readonly Statement[] = []): Promise<Rows> {
    await this.ready()
    return this.#inTurn(SYSTEM, () =>
      first.length === 0
        ? asSystem(this.#pool, text, values)
        : transact(this.#pool, [AS_SYSTEM, ...first], { text, values }),
    )
  }

  /**
   * Acts while a transaction of the system is open, with the rows that `first` has found and locked. If the act fails,
   * the transaction is rolled back.
   */
  async holding<Value>(
    first: readonly Statement[],
    act: (found: readonly Rows[]) => Promise<ActResult<Value>>,
  ): Promise<Done<Value>> {
    await this.ready()
    return this.#inTurn(SYSTEM, () => this.#hold(first, act))
  }

  async #hold<Value>(
    first: readonly Statement[],
    act: (found: readonly Rows[]) => Promise<ActResult<Value>>,
  ): Promise<Done<Value>> {
    const client = await connect(this.#pool)
    const opened = await send(client, [HOLDING, ...first])
    if (opened.fault !== undefined) throw release(client, opened.fault)
    let held: ActResult<Value>
    try {
      held = await act(opened.rows.slice(1))
    } catch (error) {
      release(client, (await send(client, [ROLLBACK])).fault)
      throw error
    }
    const { value, write } = held
    const { fault } = await send(client, write === undefined ? [ROLLBACK] : [write, COMMIT])
    release(client, fault)
    return write === undefined || fault === undefined ? { value } : { value, fault }
  }

  async #inTurn<Result>(turn: Turn, act: () => Promise<Result>): Promise<Result> {
    const release = this.#turns.tryTake(turn) ?? (await this.#waitFor(turn))
    try {
      return await act()
    } finally {
      release()
    }
  }

  /** As long as for a connection. */
  async #waitFor(key: Turn): Promise<Release> {
    const turn = await this.#turns.take(key, { withinMs: CONNECT_MS })
    if (turn.kind === 'taken') return turn.release
    throw new DatabaseUnavailable('all connections to PostgreSQL are in use')
  }

  ready(): Promise<unknown> {
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

/** Without values it is one message to PostgreSQL, which takes several statements in one message as a transaction. */
export async function asSystem(pool: Pool, text: string, values: unknown[] = []): Promise<Rows> {
  if (values.length > 0) return transact(pool, [AS_SYSTEM], { text, values })
  const [rows = []] = await run(pool, [{ text: `${actAs('pombo_system')}; ${text}` }])
  return rows
}

async function transact(pool: Pool, before: readonly Statement[], statement: Statement): Promise<Rows> {
  const rows = await run(pool, [...before, statement, COMMIT])
  return rows[before.length] ?? []
}

async function run(pool: Pool, statements: readonly Statement[]): Promise<readonly Rows[]> {
  const client = await connect(pool)
  const { rows, fault } = await send(client, statements)
  release(client, fault)
  if (fault !== undefined) throw fault
  return rows
}

const connect = (pool: Pool): Promise<PoolClient> =>
  pool.connect().catch((error: unknown) => {
    throw toFault(error)
  })

/** Pipelined; each awaits its own result. After a failure PostgreSQL refuses the rest, and a commit rolls back. */
async function send(
  client: PoolClient,
  statements: readonly Statement[],
): Promise<Readonly<{ rows: readonly Rows[]; fault?: Error }>> {
  const answers = await Promise.allSettled(statements.map(({ text, values }) => client.query(text, values)))
  const failure = answers.find((answer) => answer.status === 'rejected')
  if (failure !== undefined) return { rows: [], fault: toFault(failure.reason) }
  return { rows: answers.map((answer) => (answer.status === 'fulfilled' ? rowsOf(answer.value) : [])) }
}

/** Of several statements in one text, those of the last. */
function rowsOf(result: QueryResult | readonly QueryResult[]): Rows {
  const last = [result].flat().at(-1)
  return last?.rows ?? []
}

/** After a transient failure the connection is discarded; after a bug it is still usable. */
function release(client: PoolClient, fault: Error | undefined): Error | undefined {
  client.release(fault instanceof Unavailable)
  return fault
}
