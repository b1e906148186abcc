/** The simulator in our own process. One for all cases: it tells messages apart, and lives in a file that no crash touches. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MessageId, TenantId } from '../../src/domain/ids.ts'
import type { SmsAddress } from '../../src/domain/message/message.ts'
import type { PhoneNumber } from '../../src/domain/message/phone-number.ts'
import { instant, millis } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { openSimulator } from '../../src/providers/simulator/simulator.ts'
import { until } from '../support/until.ts'
import { AN_SMS, NAME, type Outside } from './provider-outside.ts'
import type { Case, Conduct } from './provider-table.ts'

/** Its conduct goes by the recipient. */
const RECIPIENTS: ReadonlyMap<Conduct, SmsAddress> = new Map<Conduct, SmsAddress>([
  ['takes it', AN_SMS.to],
  ['refuses it', '+15005550001' as PhoneNumber],
  ['asks for patience', '+15005550003' as PhoneNumber],
  ['hangs', '+15005550005' as PhoneNumber],
  ['is not there', '+15005550004' as PhoneNumber],
])
export const SIMULATED: readonly Conduct[] = [...RECIPIENTS.keys()]

export async function openTheSimulator() {
  const folder = await mkdtemp(join(tmpdir(), 'pombo-providers-'))
  const reported: Receipt[] = []
  const simulator = await openSimulator({
    name: NAME,
    path: join(folder, 'simulator.db'),
    clock: () => instant(Date.now()),
    report: async (receipts) => void reported.push(...receipts),
    receiptDelay: millis(20),
    limbo: millis(30),
  })
  const received = (tenantId: TenantId) => simulator.inbox({ tenantId, limit: 100 })
  const reportsOn = async (id: MessageId, tenantId: TenantId): Promise<readonly Receipt[]> => {
    const { length } = await received(tenantId)
    return until('the receipts that are owed', () => {
      const reports = reported.filter(({ ref }) => ref.messageId === id)
      return reports.length >= length && reports
    })
  }
  const meet = async ({ conduct }: Case): Promise<Outside> => ({
    content: { ...AN_SMS, to: RECIPIENTS.get(conduct) ?? AN_SMS.to },
    connect: () => ({ ...simulator, [Symbol.asyncDispose]: async () => undefined }),
    hasRead: async ({ id, tenantId }) => (await received(tenantId)).some(({ attemptId }) => attemptId === id),
    callEnded: () => undefined,
    ask: (question) => question(),
    taken: async ({ id, tenantId }) => (await reportsOn(id, tenantId)).map(({ ref }) => ref.attempt),
    reports: ({ id, tenantId }) => reportsOn(id, tenantId),
    [Symbol.asyncDispose]: async () => undefined,
  })
  return {
    meet,
    async [Symbol.asyncDispose]() {
      await simulator[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
