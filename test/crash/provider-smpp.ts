/**
 * An SMSC, to which every process keeps a session. It names messages itself and knows nothing of our attempts:
 * what it took without our hearing the name nobody can tell apart from what others sent.
 */

import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider } from '../../src/providers/kind.ts'
import { openSmpp } from '../../src/providers/smpp/smpp.ts'
import { memoryCarrierReferences } from '../memory/carrier-references.ts'
import { openFakeSmsc, type Reaction, SMSC } from '../support/fake-smsc.ts'
import { allUp } from '../support/smpp-world.ts'
import { until } from '../support/until.ts'
import { AN_SMS, NAME, type Outside } from './provider-outside.ts'
import type { Case, Conduct } from './provider-table.ts'

const INVALID_NUMBER = 0x0b
const INVALID_SENDER = 0x0a
const NOT_NOW = 0x45
const REACTIONS: ReadonlyMap<Conduct, Reaction> = new Map<Conduct, Reaction>([
  ['takes it', 'take'],
  ['refuses it', INVALID_NUMBER],
  ['blames itself', INVALID_SENDER],
  ['asks for patience', NOT_NOW],
  ['hangs', 'hold'],
  ['hangs up', 'hang up'],
  ['is not there', 'take'],
])
export const BY_SMPP: readonly Conduct[] = [...REACTIONS.keys()]
const LASTING: ReadonlySet<Conduct> = new Set(['refuses it', 'blames itself'])
const SOON = { firstMs: 5, mostMs: 50 }

export async function meetSmsc({ conduct, crash }: Case): Promise<Outside> {
  const smsc = await openFakeSmsc()
  const book = memoryCarrierReferences()
  const reaction = REACTIONS.get(conduct) ?? 'take'
  const attempts: number[] = []
  const sessions: OpenedProvider[] = []
  const reported: Receipt[] = []
  const afterwards = LASTING.has(conduct) ? reaction : 'take'
  // Nobody hears what it says to a process that dies: so that nobody does, it says nothing.
  let current = crash === 'during the call' ? 'hold' : reaction
  smsc.react(() => current)
  if (conduct === 'is not there') await smsc.stop()
  const isTaken = (_: unknown, place: number): boolean => typeof (place === 0 ? reaction : afterwards) !== 'number'
  return {
    content: AN_SMS,
    connect({ sends, report }) {
      const place = someContext({
        name: NAME,
        sends,
        carrierReferences: book,
        async report(receipt) {
          await report(receipt)
          reported.push(receipt)
        },
      })
      const waits = { lost: SOON, refused: SOON }
      const provider = openSmpp({ host: '127.0.0.1', port: smsc.port, ...SMSC, sender: 'Pombo' }, place, waits)
      sessions.push(provider)
      // What is tried is an attempt that was begun, so nothing tells that there may be no session yet: the call waits for it.
      const { connections: _, ...calls } = provider
      return {
        ...calls,
        async send(attempt, signal) {
          if (conduct !== 'is not there') await allUp(provider)
          attempts.push(attempt.ref.attempt)
          return provider.send(attempt, signal)
        },
      }
    },
    hasRead: (_attempt, nth) => smsc.submitted >= nth,
    heard: () => smsc.submitted,
    callEnded() {
      current = afterwards
    },
    async processDied() {
      smsc.hangUp()
      await Promise.all(sessions.splice(0).map((session) => session[Symbol.asyncDispose]()))
      await until('the end of every session', () => smsc.bound === 0)
    },
    ask: (question) => question(),
    taken: async () => attempts.slice(0, smsc.submitted).filter(isTaken),
    async reports() {
      const names = smsc.submits.filter(isTaken).map(({ id }) => id)
      if (names.length > 0) await until('somebody to report to', () => smsc.bound > 0)
      await Promise.all(names.map((name) => smsc.report(name)))
      return reported
    },
    [Symbol.asyncDispose]: () => smsc[Symbol.asyncDispose](),
  }
}
