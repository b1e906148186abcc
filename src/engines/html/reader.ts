/** The thread that reads html, and those who wait for it. It gets one at a time, so that what it dies of is known. */
import { Worker } from 'node:worker_threads'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Read } from './reading-thread.ts'

type Flaws = readonly HtmlFlaw[]
type Waiting = Readonly<{ html: string; resolve: (flaws: Flaws) => void; reject: (error: Error) => void }>

const SCRIPT = new URL('./reading-thread.ts', import.meta.url)
const MOST_YOUNG_MB = 32

export type ReaderOptions = Readonly<{ waiting: number; memoryMb: number }>

export class Reader implements AsyncDisposable {
  readonly #options: ReaderOptions
  readonly #waiting: Waiting[] = []
  #current: Waiting | undefined
  #thread: Worker | undefined
  #closed = false

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(html: string): Promise<Flaws> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new Unavailable('html is no longer read here'))
      else if (this.#waiting.length >= this.#options.waiting) reject(new Unavailable('too much html waits to be read'))
      else {
        this.#waiting.push({ html, resolve, reject })
        this.#next()
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new Unavailable('html is no longer read here'))
    await this.#thread?.terminate()
  }

  #next(): void {
    if (this.#current !== undefined) return
    this.#current = this.#waiting.shift()
    if (this.#current === undefined) return
    this.#thread ??= this.#start()
    this.#thread.postMessage(this.#current.html)
  }

  #start(): Worker {
    const limits = { maxOldGenerationSizeMb: this.#options.memoryMb, maxYoungGenerationSizeMb: MOST_YOUNG_MB }
    const thread = new Worker(SCRIPT, { resourceLimits: limits })
    thread.on('message', (read: Read) => {
      const answered = this.#current
      this.#current = undefined
      this.#next()
      if ('flaws' in read) answered?.resolve(read.flaws)
      else answered?.reject(new Error(`html could not be read: ${read.failure}`))
    })
    thread.on('error', (cause) => this.#bury(thread, cause))
    thread.on('exit', () => this.#bury(thread))
    return thread
  }

  /** What it died of is told to the one it read for; the others get another thread. */
  #bury(thread: Worker, cause?: unknown): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#current?.reject(new Unavailable('the thread that reads html has ended', { cause }))
    this.#current = undefined
    this.#next()
  }
}
