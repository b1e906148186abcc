/**
 * A provider that sends in a thread of its own, because composing, signing and encrypting large mail would delay
 * everything else. Callbacks are read here. The first message starts the thread, and the next one restarts it after it
 * died; the outcome of what it was sending is then unknown.
 */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Handlers } from '../../lib/rpc-channel.ts'
import { Thread } from '../../lib/thread-rpc.ts'
import { millis } from '../../lib/time.ts'
import type { Attempt } from '../../ports/provider.ts'
import { reasonOf } from '../../ports/unavailable.ts'
import type { OpenedProvider, ProviderContext } from '../kind.ts'
import { forNow, unknownOutcome } from '../provider-errors.ts'
import type { GatewayMethods, OfMail, ProviderStatus, SendingMethods, ThreadData } from './wire.ts'

const ENTRY = new URL('./thread.ts', import.meta.url)
const OPTIONS = {
  limits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 48 },
  encodeError: reasonOf,
  decodeError: (name: string) => new Error(`the provider threw: ${name}`),
}
/** More than any provider needs to finish what is in flight. */
const CLOSING_MS = 10_000

const IDLE: ProviderStatus = { hasRoom: true, connections: { wanted: 0, up: 0 } }
const ENDED = new Error('the sending thread has ended')
const LOST = unknownOutcome('CONNECTION_LOST', 'the sending thread ended before it reported the outcome')
const CLOSED = { ...forNow('NOT_CONNECTED', 'the gateway is about to stop'), retryAfter: millis(0) }

/** `here` is the same provider opened as one that does not send; `entry` is what the thread runs. */
export function openInThread(
  config: ThreadData['config'],
  { name, callbackUrl, clock, report, log, dkimSigningFor, bounceAddressFor }: ProviderContext,
  here: OpenedProvider,
  entry = ENTRY,
): OpenedProvider {
  let thread: Thread<SendingMethods> | undefined
  let status = IDLE
  let isClosed = false

  const methods: Handlers<GatewayMethods> = {
    report,
    log,
    status: (next) => {
      status = next
    },
  }

  function onEnd(cause?: Error): Error {
    thread = undefined
    status = IDLE
    if (cause !== undefined) log('warn', 'the sending thread died', { reason: reasonOf(cause) })
    return ENDED
  }

  const ofMail = (attempt: Attempt): OfMail =>
    attempt.channel === 'email'
      ? omitUndefined({ dkim: dkimSigningFor?.(attempt), bounceAddress: bounceAddressFor?.(attempt) })
      : {}

  return {
    ...here,
    async send(attempt, signal) {
      if (isClosed) return CLOSED
      thread ??= new Thread(entry, { ...OPTIONS, data: omitUndefined({ config, name, callbackUrl }), methods, onEnd })
      return thread.callUntil(signal, 'send', [attempt, clock(), ofMail(attempt)]).catch((error) => {
        if (error === ENDED) return LOST
        throw error
      })
    },
    hasRoom: () => status.hasRoom,
    ...(here.connections && { connections: () => status.connections }),
    /** Lets the provider finish what is in flight; a thread that hangs is terminated. */
    async [Symbol.asyncDispose]() {
      isClosed = true
      await thread?.close(CLOSING_MS)
      await here[Symbol.asyncDispose]()
    },
  }
}
