/**
 * Group commit. All writes that arrive together share one transaction, and each is answered only
 * after it is on disk; no timer is involved, when one commit ends the next takes whatever has
 * arrived. Reads see only what is committed. The index has transactions of its own, after the
 * writes, and nobody waits for those to be on disk: they can be made again.
 */
import { Unavailable } from '../../ports/unavailable.ts'
import { asDamage, DatabaseDamaged, resultCodeOf } from './damage.ts'
import { type Driver, Signalling, type Signals } from './driver.ts'
import { CALL_KINDS, type CallKind, type Store, type StoreMethods } from './store.ts'

type Call = Readonly<{
  name: keyof StoreMethods
  args: readonly unknown[]
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}>

/** The longest a timer may wait. */
const LONGEST_WAIT_MS = 60_000
const RETRY_TRUNCATE_MS = 100
const RETRY_FILING_MS = 5_000
const RETRY_PROMOTING_MS = 1_000

export class LocalDriver implements Driver<StoreMethods> {
  readonly #store: Store
  readonly #signalling = new Signalling()
  readonly #waiting: Record<CallKind, Call[]> = { write: [], read: [], background: [] }
  #scheduled: NodeJS.Immediate | undefined
  #resting: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  /** The write-ahead log may still hold what was shredded, also by a process that ended before it could clean up. */
  #unclean = true
  #fileAfter = 0
  #promoteAfter = 0

  constructor(store: Store) {
    this.#store = store
    this.#signalling.set(store.signals())
    this.#rearm()
  }

  call<Name extends keyof StoreMethods>(
    name: Name,
    ...args: Parameters<StoreMethods[Name]>
  ): Promise<ReturnType<StoreMethods[Name]>> {
    return new Promise((resolve, reject) => {
      this.#waiting[CALL_KINDS[name]].push({ name, args, resolve: resolve as Call['resolve'], reject })
      this.#schedule()
    })
  }

  signals(): Signals {
    return this.#signalling.now
  }

  changed(which: keyof Signals, since: Signals, stop: AbortSignal): Promise<void> {
    return this.#signalling.changed(which, since, stop)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearImmediate(this.#scheduled)
    this.#flush()
    clearImmediate(this.#scheduled)
    clearImmediate(this.#resting)
    clearTimeout(this.#timer)
    this.#store.close()
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = undefined
    const { write, read, background } = this.#waiting
    this.#waiting.write = []
    this.#waiting.read = []
    const due = this.#nextDue() <= this.#store.now()
    if (write.length > 0 || due) this.#commit('write', write, due)
    for (const call of read) this.#answer(call)
    if (background.length > 0 || this.#mayFile()) this.#resting ??= setImmediate(() => this.#work())
    this.#signalling.set(this.#store.signals())
    this.#rearm()
  }

  /** A little of what nobody waits for, in a turn of its own: the answers to those who wait are on their way by then. */
  #work(): void {
    this.#resting = undefined
    const next = this.#waiting.background.shift()
    if (next !== undefined) this.#commit('background', [next])
    else if (this.#mayFile()) this.#file()
    this.#schedule()
  }

  #commit(kind: CallKind, calls: readonly Call[], due = false): void {
    try {
      this.#store.begin()
      if (due) this.#store.promote()
      const results = calls.map((call) => this.#run(call))
      this.#store.commit()
      if (calls.some(isShredding)) this.#clean()
      const answer = (): void => {
        for (const [place, call] of calls.entries()) call.resolve(results[place])
      }
      if (kind === 'write') this.#store.whenDurable(answer)
      else answer()
    } catch (cause) {
      this.#store.rollback()
      if (due) this.#promoteAfter = this.#store.now() + RETRY_PROMOTING_MS
      // One bad call must not take the others along; a bad disk takes all.
      if (calls.length > 1 && !isDiskTrouble(cause)) for (const call of calls) this.#commit(kind, [call])
      else for (const call of calls) call.reject(this.#toFault(cause))
    }
  }

  #toFault(cause: unknown): Error {
    const fault = asDamage(this.#store.path, cause)
    return fault instanceof DatabaseDamaged ? fault : new Unavailable('the database could not store it', { cause })
  }

  /** When jobs are next made ready: not at once where that has just failed. */
  #nextDue(): number {
    return Math.max(this.#store.nextDue(), this.#promoteAfter)
  }

  /**
   * What was shredded is gone from the tables already: a log that cannot be emptied now is emptied later. Emptying it
   * costs more than what is shredded, so it waits for others that are next.
   */
  #clean(): void {
    this.#unclean = true
    if (this.#waiting.background.some(isShredding)) return
    try {
      this.#unclean = !this.#store.truncateWal()
    } catch {
      this.#unclean = true
    }
  }

  #mayFile(): boolean {
    return this.#store.isFilingDue() && this.#store.now() >= this.#fileAfter
  }

  /** What cannot be filed now waits in memory, where it is found as well. */
  #file(): void {
    try {
      this.#store.begin()
      this.#store.file()
      this.#store.commit()
    } catch {
      this.#store.rollback()
      this.#fileAfter = this.#store.now() + RETRY_FILING_MS
    }
  }

  #answer(call: Call): void {
    try {
      call.resolve(this.#run(call))
    } catch (error) {
      call.reject(asDamage(this.#store.path, error))
    }
  }

  #run({ name, args }: Call): unknown {
    const method = this.#store.methods[name] as (...args: readonly unknown[]) => unknown
    return method(...args)
  }

  /** Wakes up for the next delayed job, and to clean the write-ahead log once no reader is in the way. */
  #rearm(): void {
    clearTimeout(this.#timer)
    if (this.#unclean) this.#clean()
    const untilDue = Math.max(this.#nextDue() - this.#store.now(), 0)
    const wait = Math.min(untilDue, this.#unclean ? RETRY_TRUNCATE_MS : LONGEST_WAIT_MS)
    this.#timer = setTimeout(() => this.#schedule(), wait).unref()
  }
}

const SHREDDING: ReadonlySet<keyof StoreMethods> = new Set([
  'shred',
  'tombstone',
  'removeRecipient',
  'removeSuppression',
])

const isShredding = ({ name }: Call): boolean => SHREDDING.has(name)

/** SQLite's primary result codes for a read-only disk, a failing one and a full one. */
const DISK_TROUBLE = new Set([8, 10, 13])

const isDiskTrouble = (error: unknown): boolean => DISK_TROUBLE.has(resultCodeOf(error))
