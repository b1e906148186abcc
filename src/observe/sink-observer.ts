/** Logs when the broker of a sink is lost and when it is back, once each, and remembers its state for health checks. */
import type { Logger } from 'pino'
import type { SinkName } from '../domain/ids.ts'
import { reasonOf, Unavailable } from '../ports/unavailable.ts'
import type { OnSinkPublished } from './metrics/sink-metrics.ts'

export type SinkObserverDeps = Readonly<{ logger: Logger; onPublished: OnSinkPublished }>

export class SinkObserver {
  readonly #deps: SinkObserverDeps
  readonly #fields: Readonly<{ sink: SinkName; kind: string }>
  #lost: Readonly<{ since: number; reason: string }> | undefined

  constructor(deps: SinkObserverDeps, { name, kind }: Readonly<{ name: SinkName; kind: string }>) {
    this.#deps = deps
    this.#fields = { sink: name, kind }
  }

  /** Why nothing is published; undefined while the broker answers. */
  get problem(): string | undefined {
    return this.#lost?.reason
  }

  readonly onPublished = (events: number): void => this.#deps.onPublished(this.#fields.sink, events)

  readonly onAvailable = (): void => {
    if (this.#lost === undefined) return
    const after = Math.round((performance.now() - this.#lost.since) / 1000)
    this.#lost = undefined
    this.#deps.logger.info({ ...this.#fields, after_seconds: after }, 'sink: publishing again')
  }

  /** A reason that has changed is logged again: the broker may be back, and refuse what is published. */
  readonly onUnavailable = (error: unknown): void => {
    const reason = reasonOf(error)
    if (this.#lost?.reason === reason) return
    this.#lost = { since: this.#lost?.since ?? performance.now(), reason }
    this.#deps.logger.warn({ ...this.#fields, reason }, 'sink: cannot publish, retrying')
  }

  /** The engines log by themselves when a store is unreachable. */
  readonly onFault = (error: unknown): void => {
    if (error instanceof Unavailable) return
    this.#deps.logger.error({ ...this.#fields, err: error }, 'sink: unexpected error')
  }
}
