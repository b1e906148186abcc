/** The in-process simulator, shared by all cases: it keeps messages apart, and its file survives simulated crashes. */
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
import type { Behaviour, Case } from './provider-cases.ts'
import { AN_SMS, type ExternalProvider, NAME } from './provider-external.ts'

/** Its behaviour depends on the recipient. */
const RECIPIENTS: ReadonlyMap<Behaviour, SmsAddress> = new Map<Behaviour, SmsAddress>([
  ['accepts it', AN_SMS.to],
  ['rejects it', '+15005550001' as PhoneNumber],
  ['throttles', '+15005550003' as PhoneNumber],
  ['hangs', '+15005550005' as PhoneNumber],
  ['is unreachable', '+15005550004' as PhoneNumber],
])
export const SIMULATOR_BEHAVIOURS: readonly Behaviour[] = [...RECIPIENTS.keys()]

export async function openSharedSimulator() {
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
    return until('the outstanding receipts', () => {
      const reports = reported.filter(({ ref }) => ref.messageId === id)
      return reports.length >= length && reports
    })
  }
  const openCase = async ({ behaviour }: Case): Promise<ExternalProvider> => ({
    content: { ...AN_SMS, to: RECIPIENTS.get(behaviour) ?? AN_SMS.to },
    connect: () => ({ ...simulator, [Symbol.asyncDispose]: async () => undefined }),
    hasRead: async ({ id, tenantId }) => (await received(tenantId)).some(({ attemptId }) => attemptId === id),
    callEnded: () => undefined,
    lookUp: (question) => question(),
    acceptedAttempts: async ({ id, tenantId }) => (await reportsOn(id, tenantId)).map(({ ref }) => ref.attempt),
    reports: ({ id, tenantId }) => reportsOn(id, tenantId),
    [Symbol.asyncDispose]: async () => undefined,
  })
  return {
    openCase,
    async [Symbol.asyncDispose]() {
      await simulator[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
