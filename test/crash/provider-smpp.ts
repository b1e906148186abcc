/**
 * An SMSC, to which every process keeps a session. It assigns its own message ids and does not return our reference, so
 * a message whose answer was lost cannot be matched to its receipts.
 */

import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { openSmpp } from '../../src/providers/smpp/smpp.ts'
import { memoryCarrierReferences } from '../memory/carrier-references.ts'
import { openFakeSmsc, type Reaction, SMSC } from '../support/fake-smsc.ts'
import { allUp } from '../support/smpp-world.ts'
import { until } from '../support/until.ts'
import type { Behaviour, Case } from './provider-cases.ts'
import { AN_SMS, type ExternalProvider, NAME } from './provider-external.ts'

const INVALID_NUMBER = 0x0b
const INVALID_SENDER = 0x0a
const NOT_NOW = 0x45
const REACTIONS: ReadonlyMap<Behaviour, Reaction> = new Map<Behaviour, Reaction>([
  ['accepts it', 'take'],
  ['rejects it', INVALID_NUMBER],
  ['rejects us', INVALID_SENDER],
  ['throttles', NOT_NOW],
  ['hangs', 'hold'],
  ['disconnects', 'hang up'],
  ['is unreachable', 'take'],
])
export const SMPP_BEHAVIOURS: readonly Behaviour[] = [...REACTIONS.keys()]
const LASTING: ReadonlySet<Behaviour> = new Set(['rejects it', 'rejects us'])
const SOON = { firstMs: 5, mostMs: 50 }

export async function openSmsc({ behaviour, crash }: Case): Promise<ExternalProvider> {
  const smsc = await openFakeSmsc()
  const carrierReferences = memoryCarrierReferences()
  const reaction = REACTIONS.get(behaviour) ?? 'take'
  const attempts: number[] = []
  const sessions: OpenedProvider[] = []
  const reported: Receipt[] = []
  const afterwards = LASTING.has(behaviour) ? reaction : 'take'
  // The answer to a crashed process must be lost, so the SMSC does not answer.
  let current = crash === 'during the call' ? 'hold' : reaction
  smsc.react(() => current)
  if (behaviour === 'is unreachable') await smsc.stop()
  const isAccepted = (_: unknown, index: number): boolean => typeof (index === 0 ? reaction : afterwards) !== 'number'
  return {
    content: AN_SMS,
    connect({ sends, report }) {
      const context = someContext({
        name: NAME,
        sends,
        carrierReferences: carrierReferences,
        async report(receipt) {
          await report(receipt)
          reported.push(receipt)
        },
      })
      const waits = { lost: SOON, refused: SOON }
      const provider = openSmpp({ host: '127.0.0.1', port: smsc.port, ...SMSC, sender: 'Pombo' }, context, waits)
      sessions.push(provider)
      // Hides the connection state, so that an attempt starts, and waits for the session within the call.
      const { connections: _, ...calls } = provider
      return {
        ...calls,
        async send(attempt, signal) {
          if (behaviour !== 'is unreachable') await allUp(provider)
          attempts.push(attempt.ref.attempt)
          return provider.send(attempt, signal)
        },
      }
    },
    hasRead: (_attempt, nth) => smsc.submitted >= nth,
    requestCount: () => smsc.submitted,
    callEnded() {
      current = afterwards
    },
    async processDied() {
      smsc.hangUp()
      await Promise.all(sessions.splice(0).map((session) => session[Symbol.asyncDispose]()))
      await until('the end of every session', () => smsc.bound === 0)
    },
    lookUp: (question) => question(),
    acceptedAttempts: async () => attempts.slice(0, smsc.submitted).filter(isAccepted),
    async reports() {
      const ids = smsc.submits.filter(isAccepted).map(({ id }) => id)
      if (ids.length > 0) await until('a session to report on', () => smsc.bound > 0)
      await Promise.all(ids.map((id) => smsc.report(id)))
      return reported
    },
    [Symbol.asyncDispose]: () => smsc[Symbol.asyncDispose](),
  }
}
