/**
 * Group commit. Writes that arrive together share one transaction, and each is answered once it is on disk. There is
 * no timer: when one commit ends, the next takes all writes that have arrived. Reads see only committed data. The
 * index has transactions of its own after the writes, which are answered without a sync because they can be redone.
 */
import { Unavailable } from '../../ports/unavailable.ts'
import { asDamage, DatabaseDamaged, isDiskError } from './damage.ts'
import type { Driver } from './driver.ts'
import type { Store, StoreMethods } from './store.ts'
import { findMethod, type Method, methodsOf } from './tables.ts'

type Call = Readonly<{
  method: Method
  args: readonly unknown[]
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}>

/** How often the journal is read while nothing else happens. */
const TICK_MS = 100
const RETRY_FILING_MS = 5_000

export class LocalDriver implements Driver<StoreMethods> {
  readonly names: Driver<StoreMethods>['names']
  readonly #store: Store
  readonly #methods: ReadonlyMap<string, Method>
  readonly #waiting: Record<Method['kind'], Call[]> = { write: [], read: [], background: [] }
  #scheduled: NodeJS.Immediate | undefined
  #resting: NodeJS.Immediate | undefined
  readonly #timer: NodeJS.Timeout
  /** The write-ahead log may still hold shredded data, also of a process that ended before it could truncate it. */
  #unclean = true
  #fileAfter = 0

  constructor(store: Store) {
    this.#store = store
    this.#methods = methodsOf(store.tables)
    this.names = [...this.#methods.keys()] as Driver<StoreMethods>['names']
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  call<Name extends keyof StoreMethods>(
    name: Name,
    args: Parameters<StoreMethods[Name]>,
  ): Promise<ReturnType<StoreMethods[Name]>> {
    return new Promise((resolve, reject) => {
      const method = findMethod(this.#methods, name)
      this.#waiting[method.kind].push({ method, args, resolve: resolve as Call['resolve'], reject })
      this.#schedule()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearImmediate(this.#scheduled)
    this.#flush()
    clearImmediate(this.#scheduled)
    clearImmediate(this.#resting)
    clearInterval(this.#timer)
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
    if (write.length > 0) this.#commit('write', write)
    for (const call of read) this.#answer(call)
    if (background.length > 0 || this.#mayFile()) this.#resting ??= setImmediate(() => this.#work())
  }

  /** Files what is due, and truncates the write-ahead log once no reader blocks it. */
  #tick(): void {
    if (this.#unclean) this.#clean()
    this.#store.checkpointJournal()
    this.#schedule()
  }

  /** Runs a little background work in a turn of its own: by then the callers have their answers. */
  #work(): void {
    this.#resting = undefined
    const next = this.#waiting.background.shift()
    if (next !== undefined) this.#commit('background', [next])
    else if (this.#mayFile()) this.#file()
    this.#schedule()
  }

  #commit(kind: Method['kind'], calls: readonly Call[]): void {
    try {
      this.#store.begin()
      const results = calls.map(run)
      this.#store.commit()
      if (calls.some(isShredding)) this.#clean()
      const answer = (): void => {
        for (const [index, call] of calls.entries()) call.resolve(results[index])
      }
      if (kind === 'write') this.#store.whenDurable(answer)
      else answer()
    } catch (cause) {
      this.#store.rollback()
      // A failing call must not fail the others, unless the disk fails.
      if (calls.length > 1 && !isDiskError(cause)) for (const call of calls) this.#commit(kind, [call])
      else for (const call of calls) call.reject(this.#toFault(cause))
    }
  }

  #toFault(cause: unknown): Error {
    const fault = asDamage(this.#store.path, cause)
    return fault instanceof DatabaseDamaged ? fault : new Unavailable('the database write failed', { cause })
  }

  /**
   * Shredded data is gone from the tables already, so a write-ahead log that cannot be truncated now is truncated
   * later. Truncating costs more than shredding, so it waits for further shredding calls in the queue.
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
    try {
      return this.#store.now() >= this.#fileAfter && this.#store.isFilingDue()
    } catch {
      // The journal cannot be read: calls that need it fail with the reason.
      this.#fileAfter = this.#store.now() + RETRY_FILING_MS
      return false
    }
  }

  /** Entries that cannot be filed now stay in memory, where searches find them too. */
  #file(): void {
    try {
      this.#store.begin()
      this.#store.file()
      this.#store.commit()
      this.#store.whenDurable(() => undefined)
    } catch {
      this.#store.rollback()
      this.#fileAfter = this.#store.now() + RETRY_FILING_MS
    }
  }

  #answer(call: Call): void {
    try {
      call.resolve(run(call))
    } catch (error) {
      call.reject(isDiskError(error) ? this.#toFault(error) : asDamage(this.#store.path, error))
    }
  }
}

const run = ({ method, args }: Call): unknown => method.run(...args)

const isShredding = ({ method }: Call): boolean => method.isShredding
