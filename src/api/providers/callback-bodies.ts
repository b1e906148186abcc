/**
 * Reads the bodies of callers who have not shown who they are. Together they get little memory and each gets little
 * time; ordinary reports are so small that they need not compete for it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Refusal, refuse } from '../../flows/errors.ts'
import { MemoryBudget } from '../../lib/memory-budget.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const KILOBYTE = 1024
const SMALL_BYTES = 4 * KILOBYTE
const BUDGET_KILOBYTES = 16 * KILOBYTE
const TIMEOUT_MS = 10_000

export type StrangersBodiesOptions = Readonly<{ kilobytes?: number; timeoutMs?: number }>

/** Reads a body of at most `maxBytes`. Its memory counts until the response is closed. */
export type ReadBody = (
  payload: IncomingMessage,
  of: Readonly<{ maxBytes: number; response: ServerResponse }>,
  done: (error: Error | null, body?: Uint8Array) => void,
) => void

export function openStrangersBodies(options: StrangersBodiesOptions = {}): ReadBody {
  const { kilobytes = BUDGET_KILOBYTES, timeoutMs = TIMEOUT_MS } = options
  const budget = new MemoryBudget(kilobytes)
  return (payload, { maxBytes, response }, done) => {
    const body = new Body(budget, maxBytes)
    const timeout = setTimeout(() => end(refuse('REQUEST_TIMEOUT', 'The body did not arrive in time')), timeoutMs)
    const onData = (chunk: Buffer): void => {
      const refusal = body.add(chunk)
      if (refusal !== undefined) end(refusal)
    }
    const onEnd = (): void => end()
    const end = (error?: Error): void => {
      clearTimeout(timeout)
      payload.off('data', onData).off('end', onEnd).off('error', end)
      if (error !== undefined || response.destroyed) body.release()
      else response.once('close', () => body.release())
      if (error === undefined) done(null, body.bytes())
      else done(error)
    }
    payload.on('data', onData).on('end', onEnd).on('error', end)
  }
}

/** What has arrived of a body. */
class Body {
  readonly #budget: MemoryBudget
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  readonly #releases: (() => void)[] = []
  #length = 0

  constructor(budget: MemoryBudget, limit: number) {
    this.#budget = budget
    this.#limit = limit
  }

  add(chunk: Buffer): Refusal | Unavailable | undefined {
    this.#length += chunk.length
    if (this.#length > this.#limit) {
      return refuse('PAYLOAD_TOO_LARGE', `The request body exceeds the maximum of ${this.#limit} bytes`)
    }
    if (this.#length > SMALL_BYTES) {
      const release = this.#budget.take(chunk.length / KILOBYTE)
      if (release === undefined) return new Unavailable('the memory for callbacks is used up')
      this.#releases.push(release)
    }
    this.#chunks.push(chunk)
    return undefined
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }

  release(): void {
    this.#chunks.length = 0
    for (const release of this.#releases.splice(0)) release()
  }
}
