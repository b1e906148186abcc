/** A gateway with erasures by recipient. For tests only. */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
import type { Erasure } from '../../domain/message/erasure.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ErasureSigner } from '../../ports/erasure-signer.ts'
import type { Erasures } from '../../ports/erasures.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Ids } from '../../ports/world.ts'
import { CONTENT, openGateway, TENANT, type World } from '../gateway.fixture.ts'
import { type RunErasuresDeps, runErasures } from './run-erasures.ts'
import { startErasure } from './start-erasure.ts'

const blind = (tenantId: string, recipient: string): string => `${tenantId} ${recipient}`

/** Engines are passed in: flows do not import engines. */
type ErasingWorld = Readonly<{
  openEngine: (options: { clock: Clock; blind: Sealer['blind'] }) => ReturnType<World['openEngine']>
  ids: Ids
  erasures: Erasures
  receiptSigner: ErasureSigner
}>

export const ANA = 'ana@example.com' as EmailAddress

export const mailTo = (to: string, copies: Partial<EmailContent> = {}): EmailContent => ({
  channel: 'email',
  kind: 'email',
  to: to as EmailAddress,
  subject: 'Fatura',
  html: '<p>Olá</p>',
  metadata: {},
  tags: [],
  ...copies,
})
export const box = (address: string) => ({ address: address as EmailAddress })

export function openErasing({ openEngine, ids, erasures, receiptSigner }: ErasingWorld) {
  const gateway = openGateway({ ids, openEngine: (options) => openEngine({ ...options, blind }) })
  const completed: Erasure[] = []
  const faults: MessageId[] = []
  const deps: RunErasuresDeps = {
    ...gateway.deps,
    erasures,
    blind,
    receiptSigner,
    facts: { cleaned: [], remains: [] },
    rest: async () => undefined,
    onCompleted: (erasure) => completed.push(erasure),
    onFault: (_, messageId) => faults.push(messageId),
  }
  const startDeps = { ...deps, suppressions: { find: async () => [] } }
  return {
    ...gateway,
    deps,
    erasures,
    completed,
    faults,
    start: (to: string = CONTENT.to, key?: string) =>
      startErasure(startDeps, { tenantId: TENANT, accountId: 'shop' as AccountId, to: to as PhoneNumber, key }),
    run: (changes: Partial<RunErasuresDeps> = {}, signal = new AbortController().signal) =>
      runErasures({ ...deps, ...changes }, signal),
    find: async ({ id }: Erasure): Promise<Erasure> => {
      const found = await erasures.find(TENANT, id)
      if (found === undefined) throw new Error('no such erasure')
      return found
    },
    contentOf: async (id: MessageId) => (await gateway.log.load(id))?.content,
  }
}
