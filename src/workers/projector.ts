/** Keeps the index up to date with the log; after a fault it resumes where it stopped. */
import { type ProjectDeps, project } from '../flows/admin/project.ts'
import { pause } from '../lib/pause.ts'

const FAULT_PAUSE_MS = 1_000
const REST_MS = 500

export class Projector implements AsyncDisposable {
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  /** `restMs` is the pause between pages. */
  constructor(deps: Omit<ProjectDeps, 'rest'>, onFault: (error: unknown) => void, restMs = REST_MS) {
    this.#running = this.#run(deps, onFault, restMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(deps: Omit<ProjectDeps, 'rest'>, onFault: (error: unknown) => void, restMs: number): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await project({ ...deps, rest: () => pause(restMs, signal) }, signal)
      } catch (error) {
        onFault(error)
        await pause(FAULT_PAUSE_MS, signal)
      }
    }
  }
}
