/**
 * Admits reads. Lists and searches run a few at a time, in fair turns among tenants, so that the searches of one tenant
 * do not delay the list of another. Before a read begins, memory is reserved for its answer; afterwards the true size
 * counts, until the answer has been written. What has no room is refused: 429 where it is the tenant's share that is
 * used up, 503 where it is the whole.
 */
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler, RouteOptions } from 'fastify'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { FairTurns, type Release } from '../../lib/fair-turns.ts'
import type { Api } from './context.ts'
import { type Reservation, SMALL_BYTES, TenantMemoryBudget } from './tenant-memory-budget.ts'
import { limitStalling, limitWriting } from './unread-answers.ts'

/**
 * `list`: many rows of a store. `one`: a single thing. `large`: texts and attachments of mail. `stream` bounds its own
 * memory. By default the path decides: with a parameter at its end it is `one`, otherwise a `list`. `written`: a write
 * that takes long, or answers with long texts or many results. `batch`: many messages. `export`: a whole table,
 * page by page; its turn lasts until its end.
 */
export type AnswerKind = 'list' | 'one' | 'large' | 'written' | 'batch' | 'export' | 'stream'

type Bounded = Exclude<AnswerKind, 'stream'>

declare module 'fastify' {
  interface FastifyContextConfig {
    answer?: AnswerKind
  }
  interface FastifyRequest {
    read?: Read | undefined
  }
}

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE

/** What an answer takes at most while it is made: rows, objects and text. */
const ESTIMATES: Readonly<Record<Bounded, number>> = {
  list: MEGABYTE,
  one: 128 * KILOBYTE,
  large: 12 * MEGABYTE,
  written: 128 * KILOBYTE,
  batch: 128 * KILOBYTE,
  export: MEGABYTE,
}

const WAIT_MILLIS = 10_000
const WAITING = { waiting: 4_000, waitingPerKey: 1_000 }
/** The lists of all tenants together that run at once. */
const LISTS = 8
/** What a tenant that searches without pause may use of the time, while others read too. */
const LIST_SHARE = 1 / 3
const SINGLES = 32
/** They are quick, unless what is read is long. */
const SINGLES_PER_LIST = 2
const LARGE = { atOnce: 2, atOncePerKey: 1 }
const WRITES = { atOnce: 16, atOncePerKey: 4 }
const BATCHES = { atOnce: 8, atOncePerKey: 2 }
const EXPORTS = { atOnce: 4, atOncePerKey: 1 }
/** All of these at once, and some that are being written. */
const BUDGET_KILOBYTES = 64 * KILOBYTE

export type AnswerOptions = Readonly<{
  /** How many lists of one tenant run at once. */
  listsPerTenant?: number
  memory?: TenantMemoryBudget
  /** How long a caller may read nothing of a streamed answer. */
  stallMillis?: number
}>

/** A read that has been admitted. */
type Read = { endTurn: Release; readonly memory: Reservation; isSent: boolean; hasLeft: boolean }

type Turns = FairTurns<TenantId>

/** An onRoute hook that admits the reads of a route, if it has a guard. */
export type AdmitReads = (route: RouteOptions) => void

export function admitReads(app: Api, options: AnswerOptions = {}): AdmitReads {
  const { listsPerTenant = 1, memory = new TenantMemoryBudget(BUDGET_KILOBYTES), stallMillis } = options
  const measure = measureWith(stallMillis)
  app.decorateRequest('read')
  const turns: Readonly<Record<Bounded, Turns>> = {
    list: new FairTurns({ atOnce: LISTS, atOncePerKey: listsPerTenant, busyShare: LIST_SHARE, ...WAITING }),
    one: new FairTurns({ atOnce: SINGLES, atOncePerKey: SINGLES_PER_LIST * listsPerTenant, ...WAITING }),
    large: new FairTurns({ ...LARGE, ...WAITING }),
    export: new FairTurns({ ...EXPORTS, ...WAITING }),
    written: new FairTurns({ ...WRITES, ...WAITING }),
    batch: new FairTurns({ ...BATCHES, ...WAITING }),
  }

  return (route) => {
    const kind = kindOf(route)
    if (kind === undefined || kind === 'stream') return
    route.preHandler = [enter(turns[kind], memory, ESTIMATES[kind]), ...[route.preHandler ?? []].flat()]
    route.onSend = [...[route.onSend ?? []].flat(), measure]
  }
}

/** Undefined for what does not read; a write that answers with much says so in its config. */
function kindOf({ method, url, config }: RouteOptions): AnswerKind | undefined {
  if (config?.answer !== undefined) return config.answer
  if (![method].flat().some((one) => one === 'GET' || one === 'HEAD')) return undefined
  return /:\w+$/.test(url) ? 'one' : 'list'
}

function enter(turns: Turns, memory: TenantMemoryBudget, bytes: number): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.caller === undefined) return done()
    const tenantId = liveTenantOf(request.caller.tenantId)
    const begin = (endTurn: Release): void => done(reserve(request, reply, endTurn, () => memory.hold(tenantId, bytes)))
    const endTurn = turns.tryTake(tenantId)
    if (endTurn !== undefined) begin(endTurn)
    else waitForTurn(turns, tenantId, reply).then(begin, done)
  }
}

/** The refusal of a read that has its turn, but no room. */
function reserve(
  request: FastifyRequest,
  reply: FastifyReply,
  endTurn: Release,
  hold: () => Reservation,
): Error | undefined {
  try {
    request.read = admit(reply, endTurn, hold())
    return undefined
  } catch (error) {
    endTurn()
    return error as Error
  }
}

async function waitForTurn(turns: Turns, tenantId: TenantId, { raw }: FastifyReply): Promise<Release> {
  const leaving = new AbortController()
  const leave = (): void => leaving.abort()
  raw.once('close', leave)
  // It may have left while the guard was waiting.
  if (raw.destroyed) leave()
  const turn = await turns.take(tenantId, { signal: leaving.signal, withinMs: WAIT_MILLIS })
  raw.off('close', leave)
  if (turn.kind === 'taken') return turn.release
  if (turn.kind === 'left' && leaving.signal.aborted) throw refuse('VALIDATION_ERROR', 'The caller disconnected')
  if (turn.kind === 'refused' && turn.by === 'all') throw refuse('UNAVAILABLE', 'Too many calls are waiting for a turn')
  throw refuse('TOO_MANY_REQUESTS', 'Too many calls of this tenant are waiting for a turn, or others were first')
}

function admit({ raw }: FastifyReply, endTurn: Release, memory: Reservation): Read {
  const read: Read = { endTurn, memory, isSent: false, hasLeft: raw.destroyed }
  raw.once('close', () => {
    read.hasLeft = true
    if (read.isSent) memory.release()
  })
  return read
}

/**
 * The turn ends once the answer is made, which is its end if it is a stream. Its memory is free once it is written, and
 * made: the caller may leave before.
 */
function measureWith(stallMillis: number | undefined): onSendHookHandler {
  return (request: FastifyRequest, reply, payload, done) => {
    const { read } = request
    if (read !== undefined && !read.isSent) {
      read.isSent = true
      const bytes = sizeOf(payload)
      if (bytes !== undefined || read.hasLeft) read.endTurn()
      else reply.raw.once('close', read.endTurn)
      if (read.hasLeft) read.memory.release()
      // What a stream has in memory is not known, so its estimate stays.
      else if (bytes === undefined) limitStalling(reply.raw, stallMillis)
      else count(read, reply, bytes)
    }
    // For a long string, Node reserves three times its length before it is written.
    done(null, typeof payload === 'string' && payload.length > SMALL_BYTES ? Buffer.from(payload) : payload)
  }
}

function count({ memory }: Read, { raw }: FastifyReply, bytes: number): void {
  memory.resize(bytes)
  limitWriting(raw, bytes > SMALL_BYTES ? 'large' : 'small')
}

/** Undefined for a stream. */
function sizeOf(payload: unknown): number | undefined {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return payload.length
  return payload === null || payload === undefined ? 0 : undefined
}
