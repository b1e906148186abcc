import { Refusal } from '../errors.ts'
/**
 * Runs erasures by recipient, a page of messages at a time, with a pause after each so that sending is not delayed.
 * Each page is saved before and after it is erased, so that another process can resume after a crash. Several processes
 * may run erasures, each erasure in one of them.
 */

import type { MessageId } from '../../domain/ids.ts'
import {
  type AfterPass,
  afterErasing,
  afterPass,
  type Erasure,
  type ErasureFailure,
  type Tally,
} from '../../domain/message/erasure.ts'
import { type ErasureFacts, toReceipt } from '../../domain/message/erasure-receipt.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { ErasureSigner } from '../../ports/erasure-signer.ts'
import type { Erasures, HeldErasure } from '../../ports/erasures.ts'
import type { Page } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type EraseDeps, erase } from './erase.ts'
import { type FindCopiesDeps, type FoundCopies, findCopies } from './find-copies.ts'

export type RunErasuresDeps = EraseDeps &
  FindCopiesDeps &
  Readonly<{
    erasures: Erasures
    receiptSigner: ErasureSigner
    facts: ErasureFacts
    /** Between two pages. */
    rest: () => Promise<void>
    onCompleted: (erasure: Erasure) => void
    onFault: (error: unknown, messageId: MessageId) => void
  }>

/** A process that has not saved for this long counts as dead. */
const LEASE = seconds(15)
/** Reading a page's contents may outlast the lease, so it is renewed this often. */
const RENEW_AFTER = seconds(5)
/** The longest time to work on one erasure before others get a turn. */
const SLICE = seconds(5)
/** Messages erased concurrently, so that they share commits and round trips. */
const PAGE = 25
/** Emails whose contents are checked for copies per page. */
const COPIES_PAGE = 20

/** Runs until nothing is due, or `signal` aborts. */
export async function runErasures(deps: RunErasuresDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = deps.clock()
    const held = await deps.erasures.claim(now, later(now, LEASE))
    if (held === undefined) return
    await carryOn(deps, held, later(now, SLICE), signal)
  }
}

async function carryOn(deps: RunErasuresDeps, from: HeldErasure, until: Instant, signal: AbortSignal): Promise<void> {
  let held = await resume(deps, from)
  while (held !== undefined) {
    const isOver = signal.aborted || deps.clock() >= until
    if (isOver) {
      await save(deps, held, deps.clock())
      return
    }
    held = await step(deps, held)
    await deps.rest()
  }
}

/** The page that a crashed process was erasing counts as found, whether erased or not. */
async function resume(deps: RunErasuresDeps, held: HeldErasure): Promise<HeldErasure | undefined> {
  const { pending } = held.erasure
  if (pending.length === 0) return held
  const { failures } = await eraseAll(deps, held.erasure, pending)
  const tally = { erased: pending.length - failures.length, failures }
  return save(deps, { ...held, erasure: afterErasing(held.erasure, tally) })
}

/** Erases one page. Undefined when there is nothing more to do for now, or another process has taken over. */
async function step(deps: RunErasuresDeps, held: HeldErasure): Promise<HeldErasure | undefined> {
  const begun = await beginPass(deps, held.erasure)
  const { rows, nextCursor } = await readPage(deps, begun)
  const erasure = { ...begun, caughtUp: begun.caughtUp && (await isCaughtUp(deps, begun)) }
  const found = await findIds(deps, { ...held, erasure }, rows)
  if (found === undefined) return undefined
  const { ids, failures } = found
  const noted = await save(deps, { ...held, erasure: { ...erasure, pending: ids } })
  if (noted === undefined) return undefined
  const tally = await eraseAll(deps, erasure, ids)
  const done = afterErasing(erasure, { ...tally, failures: [...failures, ...tally.failures] })
  // Checking every email costs too much for a pass that must be repeated anyway.
  const isInVain = erasure.stage === 'copies' && !erasure.caughtUp
  if (nextCursor === undefined || isInVain) return end(deps, noted, afterPass(done))
  return save(deps, { ...noted, erasure: { ...done, cursor: nextCursor } })
}

/**
 * Only a pass that begins after the index has caught up finds everything, and only if the index is not cleared
 * meanwhile: `caughtUp` is checked again after each page.
 */
async function beginPass(deps: RunErasuresDeps, erasure: Erasure): Promise<Erasure> {
  if (erasure.cursor !== undefined) return erasure
  return { ...erasure, caughtUp: await isCaughtUp(deps, erasure) }
}

const isCaughtUp = async ({ index }: RunErasuresDeps, { through }: Erasure): Promise<boolean> =>
  (await index.position()) >= through

function readPage({ index }: RunErasuresDeps, { tenantId, stage, toKey, cursor }: Erasure): Promise<Page> {
  const page =
    stage === 'copies'
      ? { filter: { channel: 'email' as const }, limit: COPIES_PAGE }
      : { filter: { toKey }, limit: PAGE }
  return index.search({ tenantId, ...page, ...omitUndefined({ cursor }) })
}

/** The rows to erase, without those that already failed in this pass. */
async function findIds(deps: RunErasuresDeps, held: HeldErasure, rows: Page['rows']): Promise<FoundCopies | undefined> {
  const { erasure } = held
  const failed = new Set(erasure.failures.map(({ messageId }) => messageId))
  const fresh = rows.filter(({ state }) => !failed.has(state.id))
  if (erasure.stage === 'copies') return findCopies(deps, erasure, fresh, toRenewal(deps, held))
  return { ids: fresh.map(({ state }) => state.id), failures: [] }
}

/** Renews the lease when it is due. False when another process has taken over. */
function toRenewal(deps: RunErasuresDeps, held: HeldErasure): () => Promise<boolean> {
  let renewedAt = deps.clock()
  return async () => {
    if (deps.clock() < later(renewedAt, RENEW_AFTER)) return true
    renewedAt = deps.clock()
    return (await save(deps, held)) !== undefined
  }
}

/** A failure does not stop the others. Messages that were already erased are not counted. */
async function eraseAll(deps: RunErasuresDeps, { tenantId }: Erasure, ids: readonly MessageId[]): Promise<Tally> {
  const results = await Promise.allSettled(ids.map((id) => erase(deps, { tenantId, id, traceId: deps.ids.traceId() })))
  const failures = results.flatMap((result, index): ErasureFailure[] => {
    const messageId = ids[index]
    if (result.status === 'fulfilled' || messageId === undefined || isGone(result.reason)) return []
    deps.onFault(result.reason, messageId)
    return [{ messageId, reason: toReason(result.reason) }]
  })
  return { erased: results.filter((result) => result.status === 'fulfilled' && result.value).length, failures }
}

/** Retention has deleted the message since it was found. */
const isGone = (error: unknown): boolean => error instanceof Refusal && error.code === 'NOT_FOUND'

const toReason = (error: unknown): string =>
  error instanceof Unavailable ? 'A store was unavailable.' : "An internal error; see the gateway's log."

async function end(deps: RunErasuresDeps, held: HeldErasure, after: AfterPass): Promise<HeldErasure | undefined> {
  if (after.kind === 'complete') return complete(deps, { ...held, erasure: after.erasure })
  const next = { ...held, erasure: after.erasure }
  if (after.wait === NO_WAIT) return save(deps, next)
  await save(deps, next, later(deps.clock(), after.wait))
  return undefined
}

const NO_WAIT: Millis = seconds(0)

async function complete(deps: RunErasuresDeps, held: HeldErasure): Promise<undefined> {
  const at = deps.clock()
  const completed: Erasure = { ...held.erasure, updatedAt: at, completedAt: at }
  const erasure = { ...completed, receipt: deps.receiptSigner.sign(toReceipt(completed, deps.facts)) }
  if (await deps.erasures.save({ ...held, erasure }, undefined)) deps.onCompleted(erasure)
}

/** Undefined when another process has taken over. */
async function save(
  { erasures, clock }: RunErasuresDeps,
  held: HeldErasure,
  dueAt: Instant = later(clock(), LEASE),
): Promise<HeldErasure | undefined> {
  const saved = { ...held, erasure: { ...held.erasure, updatedAt: clock() } }
  return (await erasures.save(saved, dueAt)) ? saved : undefined
}
