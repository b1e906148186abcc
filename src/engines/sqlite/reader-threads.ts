/**
 * The threads that search. A second one starts when somebody has to wait for the first: a long search of one tenant then
 * delays nobody else.
 */
import type { DatabaseDamaged } from './damage.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import { openThread, type ThreadDriver } from './thread-driver.ts'

type Reader = { readonly driver: ThreadDriver<SearchMethods>; calls: number }

const MOST = 2
const ENTRY = new URL('./reader-thread.ts', import.meta.url)

export const openReaderThreads = async (path: string): Promise<ReaderThreads> =>
  new ReaderThreads(path, await openThread<SearchMethods>(ENTRY, { path }))

export class ReaderThreads implements Driver<SearchMethods> {
  readonly names: Driver<SearchMethods>['names']
  readonly #path: string
  readonly #readers: Reader[]
  #opening: Promise<void> | undefined
  #isClosed = false

  constructor(path: string, first: ThreadDriver<SearchMethods>) {
    this.#path = path
    this.#readers = [{ driver: first, calls: 0 }]
    this.names = first.names
  }

  /** The first damage to the file that a call ran into. */
  get damage(): DatabaseDamaged | undefined {
    return this.#readers.find(({ driver }) => driver.damage !== undefined)?.driver.damage
  }

  async call<Name extends keyof SearchMethods>(
    name: Name,
    args: Parameters<SearchMethods[Name]>,
  ): Promise<ReturnType<SearchMethods[Name]>> {
    const reader = this.#leastBusy()
    if (reader.calls > 0 && this.#readers.length < MOST) this.#opening ??= this.#openAnother()
    reader.calls += 1
    try {
      return await reader.driver.call(name, args)
    } finally {
      reader.calls -= 1
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#opening
    await Promise.all(this.#readers.map(({ driver }) => driver[Symbol.asyncDispose]()))
  }

  #leastBusy(): Reader {
    return this.#readers.reduce((least, reader) => (reader.calls < least.calls ? reader : least))
  }

  /** Without another one, calls wait. */
  async #openAnother(): Promise<void> {
    const driver = await openThread<SearchMethods>(ENTRY, { path: this.#path, checkpoints: false }).catch(
      () => undefined,
    )
    if (driver === undefined) return
    if (this.#isClosed) await driver[Symbol.asyncDispose]()
    else this.#readers.push({ driver, calls: 0 })
  }
}
