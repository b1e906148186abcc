/**
 * One rendering thread and its watchdog. The thread stops by itself what takes too long; a thread that does not get on,
 * because something in it cannot be interrupted, is terminated. The next work gets a new one.
 */
import { cpuMillisOf } from '../../lib/thread-cpu.ts'
import { Thread } from '../../lib/thread-rpc.ts'
import {
  BEGUN,
  IDLE,
  JOB,
  type JobDone,
  type RenderJob,
  type RenderMethods,
  type RenderThreadData,
  THREAD,
} from './render-jobs.ts'

export type StationOptions = Readonly<{
  niceness: number
  /** What the thread runs; for tests. */
  entry?: URL
}>

export type Worked =
  | Readonly<{ kind: 'worked'; done: readonly JobDone[] }>
  /** The thread was terminated or died: while it worked on this job, or through no fault of any. */
  | Readonly<{ kind: 'died'; at: number | undefined; cause: Error }>
  /** This job failed with an error that is a bug. */
  | Readonly<{ kind: 'failed'; at: number; cause: Error }>
  /** The thread could not start. */
  | Readonly<{ kind: 'unavailable'; cause: Error }>

const ENTRY = new URL('./render-thread.ts', import.meta.url)
/** The CPU time after which a thread is stuck: several times what a template may take. Elsewhere than on Linux, the time. */
const STUCK_MS = 250
/** The time after which it is stuck in any case. */
const LONGEST_MS = 10_000
const LOOK_MS = 50
/** More than the largest render needs within its budget. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

type Open = Readonly<{ thread: Thread<RenderMethods>; progress: Int32Array }>

export class RenderStation implements AsyncDisposable {
  readonly #options: StationOptions
  #open: Open | undefined
  #isBusy = false

  constructor(options: StationOptions) {
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** One call at a time. Never rejects. */
  async work(jobs: readonly RenderJob[], millis: number): Promise<Worked> {
    this.#isBusy = true
    const opened = this.#opened()
    const watchdog = this.#watch(opened)
    try {
      return { kind: 'worked', done: await opened.thread.call('work', [jobs, millis]) }
    } catch (error) {
      return this.#giveUp(opened, error as Error)
    } finally {
      clearInterval(watchdog)
      this.#isBusy = false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open?.thread.terminate()
  }

  /** Ends the thread: one that failed may be in any state. */
  #giveUp({ thread, progress }: Open, cause: Error): Worked {
    const hasFailed = thread.isOpen
    const at = Atomics.load(progress, JOB)
    void thread.terminate()
    this.#open = undefined
    if (Atomics.load(progress, BEGUN) === 0) return { kind: 'unavailable', cause }
    if (hasFailed && at !== IDLE) return { kind: 'failed', at, cause }
    return { kind: 'died', at: at === IDLE ? undefined : at, cause }
  }

  #opened(): Open {
    if (this.#open?.thread.isOpen !== true) this.#open = this.#start()
    return this.#open
  }

  #start(): Open {
    const { niceness, entry = ENTRY } = this.#options
    const progress = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))
    Atomics.store(progress, JOB, IDLE)
    const data: RenderThreadData = { niceness, progress }
    const thread = new Thread<RenderMethods>(entry, {
      data,
      limits: LIMITS,
      // The renderer calls once everything of a turn has arrived.
      schedule: queueMicrotask,
      decodeError: (name: string) => new Error(`a template could not be rendered: ${name}`),
      onEnd: (cause) => new Error('a rendering thread has ended', { cause }),
    })
    return { thread, progress }
  }

  #watch({ thread, progress }: Open): NodeJS.Timeout {
    let begun = -1
    let since: Times = { at: 0, cpu: undefined }
    return setInterval(() => {
      const [now, before] = [Atomics.load(progress, BEGUN), begun]
      begun = now
      if (now !== before) since = timesOf(progress)
      else if (Atomics.load(progress, JOB) !== IDLE && isStuck(since, timesOf(progress))) void thread.terminate()
    }, LOOK_MS)
  }
}

type Times = Readonly<{ at: number; cpu: number | undefined }>

const timesOf = (progress: Int32Array): Times => ({
  at: performance.now(),
  cpu: cpuMillisOf(Atomics.load(progress, THREAD)),
})

const isStuck = (since: Times, now: Times): boolean =>
  now.at - since.at >= LONGEST_MS || (now.cpu ?? now.at) - (since.cpu ?? since.at) >= STUCK_MS
