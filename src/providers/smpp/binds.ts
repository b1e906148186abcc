/**
 * The binds of a provider, and the queue of parts that wait for a free slot in one of their windows. Each part goes to
 * the least busy bind. While no bind is up nothing waits, so that the message can go to another provider.
 */
import { PacedQueue, type QueuedJob } from '../../lib/paced-queue.ts'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { Connections } from '../../ports/provider.ts'
import { type Deferral, forNow, TOO_FAST, unknownOutcome, withOriginalCode } from '../provider-errors.ts'
import { Bind, type BindDeps, type BindState } from './bind.ts'
import { isThrottling, originalCodeOf, type StatusOverrides, toSmppError } from './errors.ts'
import type { PartResult } from './outcome.ts'
import type { SubmitFields } from './pdu.ts'
import type { Answer } from './window.ts'

export type Part = Readonly<{
  fields: SubmitFields
  /** Called once. */
  onResult: (result: PartResult) => void
  /** Called at most once: the answer did not arrive in time, but may still arrive. */
  onOverdue: () => void
}>

export type PendingPart = QueuedJob & {
  readonly part: Part
  state: 'queued' | 'written' | 'done'
  /** Its result if it is cancelled while it is queued. */
  queuedResult: PartResult
}

export type BindsDeps = Omit<BindDeps, 'onCapacity' | 'onChange'> &
  Readonly<{
    onChange: (state: BindState, connections: Connections) => void
    binds: number
    partsPerSecond?: number
    statuses: StatusOverrides
    /** Normalises the message id of an answer. */
    toMessageId: (id: string) => string
  }>

const deferred = (deferral: Deferral, retryAfter: Millis = millis(0)): PartResult => ({ ...deferral, retryAfter })
const NOT_CONNECTED = deferred(forNow('NOT_CONNECTED', 'no session with the SMSC is up'))
const QUEUE_TIMEOUT = deferred(forNow('TIMEOUT', 'the message waited too long for a free slot in the SMPP window'))
const THROTTLED = deferred(TOO_FAST, seconds(1))
const CONNECTION_LOST = unknownOutcome('CONNECTION_LOST', 'the session with the SMSC was lost before it answered')

export class Binds implements AsyncDisposable {
  readonly #binds: readonly Bind[]
  readonly #deps: Pick<BindsDeps, 'statuses' | 'toMessageId'>
  readonly #queue: PacedQueue
  #isClosing = false

  constructor(deps: BindsDeps) {
    this.#deps = deps
    this.#queue = new PacedQueue({
      unitsPerSecond: deps.partsPerSecond,
      hasCapacity: () => this.#binds.some(({ hasRoom }) => hasRoom),
    })
    const bindDeps: BindDeps = {
      ...deps,
      onCapacity: () => this.#queue.pump(),
      onChange: (state) => {
        if (!this.#isUp) this.#queue.clear()
        deps.onChange(state, this.connections)
      },
    }
    this.#binds = Array.from({ length: deps.binds }, () => new Bind(bindDeps))
  }

  get connections(): Connections {
    return { wanted: this.#binds.length, up: this.#binds.filter(({ isUp }) => isUp).length }
  }

  get hasRoom(): boolean {
    return this.#queue.hasRoom
  }

  submit(part: Part): PendingPart {
    const pending: PendingPart = {
      part,
      state: 'queued',
      queuedResult: QUEUE_TIMEOUT,
      start: () => this.#write(pending),
      drop: () => finish(pending, NOT_CONNECTED),
    }
    if (this.#isUp) this.#queue.push(pending)
    else pending.drop()
    return pending
  }

  /** A queued part ends at once. A written one still waits for its answer, but is not written again. */
  cancel(pending: PendingPart): void {
    pending.isCancelled = true
    if (pending.state === 'queued') finish(pending, pending.queuedResult)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    this.#queue[Symbol.dispose]()
    await Promise.all(this.#binds.map((bind) => bind[Symbol.asyncDispose]()))
  }

  get #isUp(): boolean {
    return !this.#isClosing && this.#binds.some(({ isUp }) => isUp)
  }

  #write(pending: PendingPart): void {
    const { fields, onOverdue } = pending.part
    pending.state = 'written'
    const onAnswer = (answer: Answer): void => this.#answer(pending, answer)
    this.#leastBusy()?.submit({ fields, onOverdue, onAnswer })
  }

  /** Of those with room; `hasCapacity` makes sure that there is one. */
  #leastBusy(): Bind | undefined {
    let found: Bind | undefined
    for (const bind of this.#binds) {
      if (bind.hasRoom && (found === undefined || bind.busy < found.busy)) found = bind
    }
    return found
  }

  #answer(pending: PendingPart, answer: Answer): void {
    if (answer.kind === 'lost') finish(pending, CONNECTION_LOST)
    else if (isThrottling(answer.status)) this.#retry(pending)
    else finish(pending, this.#toResult(answer.status, answer.messageId))
  }

  #retry(pending: PendingPart): void {
    this.#queue.throttle()
    pending.queuedResult = THROTTLED
    pending.state = 'queued'
    if (pending.isCancelled) finish(pending, THROTTLED)
    else if (this.#isUp) this.#queue.putBack(pending)
    else pending.drop()
  }

  #toResult(status: number, messageId: string): PartResult {
    const { statuses, toMessageId } = this.#deps
    const meant = toSmppError(status, statuses)
    if (meant === undefined) return { kind: 'accepted', messageId: toMessageId(messageId) }
    const error = withOriginalCode(meant, originalCodeOf(status))
    return error.kind === 'deferred' ? deferred(error) : error
  }
}

function finish(pending: PendingPart, result: PartResult): void {
  pending.state = 'done'
  pending.part.onResult(result)
}
