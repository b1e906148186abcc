/** The thread that sends for one provider: opens it, makes its calls, and reports its status. */
import { isDeepStrictEqual } from 'node:util'
import type { RpcChannel } from '../../lib/rpc-channel.ts'
import { type Served, serveThread } from '../../lib/thread-rpc.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { EmailAttempt } from '../../ports/provider.ts'
import { openHere } from '../registry.ts'
import type { GatewayMethods, OfMail, ProviderStatus, SendingMethods, ThreadData } from './wire.ts'

/** Much shorter than the time after which a provider has no room. */
const STATUS_EVERY_MS = 250
const NO_CONNECTIONS = { wanted: 0, up: 0 }

await serveThread<SendingMethods, GatewayMethods>(serve, {
  // Not its message, which could quote the mail.
  encodeError: (error) => error.name,
})

function serve({ config, ...context }: ThreadData, gateway: RpcChannel<GatewayMethods>): Served<SendingMethods> {
  let clock = startClock(instant(Date.now()))
  let status: ProviderStatus | undefined
  const inFlight = new Set<Promise<unknown>>()
  const mails = new WeakMap<EmailAttempt, OfMail>()
  const provider = openHere(config, {
    ...context,
    clock: () => clock(),
    sends: true,
    report: (receipt) => gateway.call('report', [receipt]),
    carrierReferences: { register: noReferences, report: noReferences },
    dkimSigningFor: (attempt) => mails.get(attempt)?.dkim,
    bounceAddressFor: (attempt) => mails.get(attempt)?.bounceAddress,
    log: (...line) => gateway.notify('log', line),
  })

  const watching = setInterval(() => {
    const now = { hasRoom: provider.hasRoom?.() ?? true, connections: provider.connections?.() ?? NO_CONNECTIONS }
    if (isDeepStrictEqual(now, status)) return
    status = now
    gateway.notify('status', [now])
  }, STATUS_EVERY_MS)

  return {
    methods: {
      async send(attempt, now, ofMail, signal) {
        clock = startClock(now)
        if (attempt.channel === 'email') mails.set(attempt, ofMail)
        const sending = provider.send(attempt, signal)
        inFlight.add(sending)
        return sending.finally(() => inFlight.delete(sending))
      },
    },
    async [Symbol.asyncDispose]() {
      clearInterval(watching)
      await provider[Symbol.asyncDispose]()
      await Promise.allSettled(inFlight)
    },
  }
}

/** A clock that continues from the time of the gateway. */
function startClock(from: Instant): () => Instant {
  const since = performance.now()
  return () => instant(Math.round(from + performance.now() - since))
}

/** Only SMPP uses carrier references, and it does not send in a thread. */
async function noReferences(): Promise<never> {
  throw new Error('a provider that sends in a thread has no carrier references')
}
