/** The thread that reads html and its waiting calls. It gets one document at a time, so that a fatal one is known. */
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
      if (this.#closed) reject(new Unavailable('html inspection is closed'))
      else if (this.#waiting.length >= this.#options.waiting)
        reject(new Unavailable('too many html inspections waiting'))
      else {
        this.#waiting.push({ html, resolve, reject })
        this.#next()
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new Unavailable('html inspection is closed'))
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
      else answered?.reject(new Error(`html inspection failed: ${read.failure}`))
    })
    thread.on('error', (cause) => this.#bury(thread, cause))
    thread.on('exit', () => this.#bury(thread))
    return thread
  }

  /** Rejects the call it was working for; the others get a new thread. */
  #bury(thread: Worker, cause?: unknown): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#current?.reject(new Unavailable('the html inspection thread ended', { cause }))
    this.#current = undefined
    this.#next()
  }
}
