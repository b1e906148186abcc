/** A broker in memory, for tests of what publishes on it: it can be away, and fail after it has stored something. */
import type { Sink, SinkEvent } from '../../src/ports/sink.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'

export type MemoryBroker = Readonly<{
  stored: SinkEvent[]
  /** How many events each call has published. */
  calls: number[]
  /** `away`: connects to nobody. `mute`: stores what it gets, and confirms nothing. */
  set: (state: 'up' | 'away' | 'mute') => void
  open: () => Promise<Sink>
}>

export function memoryBroker(): MemoryBroker {
  const stored: SinkEvent[] = []
  const calls: number[] = []
  let state: 'up' | 'away' | 'mute' = 'up'
  const refuse = (): never => {
    throw new Unavailable(`the broker is ${state}`)
  }
  return {
    stored,
    calls,
    set: (next) => {
      state = next
    },
    async open() {
      if (state === 'away') refuse()
      return {
        async publish(events) {
          calls.push(events.length)
          if (state !== 'away') stored.push(...events)
          if (state !== 'up') refuse()
        },
        async [Symbol.asyncDispose]() {},
      }
    },
  }
}
