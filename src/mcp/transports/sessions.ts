/**
 * The sessions of HTTP clients. A session belongs to the credentials that opened it, so its id alone is worth nothing.
 * They are in memory: a client whose session is gone gets a 404, and opens another.
 */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Clock } from '../../lib/clock.ts'
import type { Instant, Millis } from '../../lib/time.ts'

export type Session = Readonly<{ owner: string; server: McpServer; transport: StreamableHTTPServerTransport }>
type Kept = Readonly<{ session: Session; usedAt: Instant }>

export type SessionBounds = Readonly<{ sessions: number; perOwner: number; idle: Millis }>

export class Sessions {
  readonly #clock: Clock
  readonly #bounds: SessionBounds
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Clock, bounds: SessionBounds) {
    this.#clock = clock
    this.#bounds = bounds
  }

  get size(): number {
    return this.#kept.size
  }

  /** Also makes it the most recently used. */
  find(id: string, owner: string): Session | undefined {
    const kept = this.#kept.get(id)
    if (kept === undefined || kept.session.owner !== owner) return undefined
    this.#kept.delete(id)
    this.#kept.set(id, { ...kept, usedAt: this.#clock() })
    return kept.session
  }

  /** Whether another fits. Closes those that nobody has used for long, and the oldest of an owner with too many. */
  async makeRoom(owner: string): Promise<boolean> {
    const { sessions, perOwner, idle } = this.#bounds
    const unused = [...this.#kept].filter(([, { usedAt }]) => this.#clock() - usedAt > idle)
    const owned = [...this.#kept].filter(([, { session }]) => session.owner === owner)
    const surplus = owned.slice(0, Math.max(0, owned.length - perOwner + 1))
    await Promise.all([...unused, ...surplus].map(([id]) => this.end(id)))
    return this.#kept.size < sessions
  }

  add(id: string, session: Session): void {
    this.#kept.set(id, { session, usedAt: this.#clock() })
  }

  async end(id: string): Promise<void> {
    const kept = this.#kept.get(id)
    this.#kept.delete(id)
    await kept?.session.server.close()
  }

  /** Ends what would stay open by itself: the streams on which a client waits for news. */
  endStreams(): void {
    for (const { session } of this.#kept.values()) session.transport.closeStandaloneSSEStream()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((id) => this.end(id)))
  }
}
