/**
 * What we use of the driver beneath its public API, to encode and parse messages ourselves (`frames.ts`,
 * `message-parser.ts`) in less than half the time. The driver still does everything else: TLS, authentication,
 * reconnecting, subscriptions and heartbeats. Its version is therefore pinned, and the absence of something we use is
 * found at startup.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { type DriverParser, type MessageEvent, MessageParser } from './message-parser.ts'

/** Keeps what it is given until the socket has written it, so those bytes must never change. */
export type RawOutput = (frames: Uint8Array) => void

type Protocol = {
  sendCommand(frames: Uint8Array): void
  /** Receives what the parser has read. */
  push(event: MessageEvent): void
  /** Replaced by the driver at each reconnect. */
  parser: DriverParser
}

/** Puts our parser before the driver's, now and after each reconnect, and returns the way to the socket. */
export function takeOver(driver: NatsConnection): RawOutput {
  const protocol = protocolOf(driver)
  const toParser = (parser: DriverParser) => new MessageParser(parser, (event) => protocol.push(event))
  let parser = toParser(protocol.parser)
  Object.defineProperty(protocol, 'parser', {
    get: () => parser,
    set: (next: DriverParser) => {
      parser = toParser(next)
    },
  })
  return (frames) => protocol.sendCommand(frames)
}

function protocolOf(driver: object): Protocol {
  const { protocol } = driver as { protocol?: Partial<Protocol> }
  const { sendCommand, push, parser } = protocol ?? {}
  const isKnown =
    typeof sendCommand === 'function' &&
    typeof push === 'function' &&
    typeof parser?.parse === 'function' &&
    typeof parser.state === 'number'
  if (isKnown) return protocol as Protocol
  throw new Error('an unknown version of @nats-io/transport-node: install the one that package.json names')
}
