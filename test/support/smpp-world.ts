/** A fake SMSC and a connector to it, and what the connector reports and tells. It waits little before it binds again. */

import type { CarrierReferences } from '../../src/ports/carrier-references.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider, ProviderContext } from '../../src/providers/kind.ts'
import type { Settings } from '../../src/providers/smpp/settings.ts'
import { openSmpp } from '../../src/providers/smpp/smpp.ts'
import { memoryCarrierReferences } from '../memory/carrier-references.ts'
import { FakeSmsc, SMSC, type SmscOptions } from './fake-smsc.ts'
import { until } from './until.ts'

export type SmppWorld = AsyncDisposable &
  Readonly<{
    smsc: FakeSmsc
    provider: OpenedProvider
    book: CarrierReferences
    /** What was reported, oldest first. */
    receipts: readonly Receipt[]
    /** What the operator was told, as the level and the sentence. */
    told: readonly string[]
    /** Another connector to the same SMSC, by the same book. */
    another: () => OpenedProvider
  }>

export type Given = Readonly<{ smsc?: SmscOptions; settings?: Partial<Settings>; place?: Partial<ProviderContext> }>

const WAITS = { lost: { firstMs: 20, mostMs: 100 }, refused: { firstMs: 20, mostMs: 100 } }

/** `down`: the SMSC is not listening yet, and nothing is waited for. */
export async function openSmppWorld(given: Given = {}, start: 'up' | 'down' = 'up'): Promise<SmppWorld> {
  const smsc = new FakeSmsc(given.smsc ?? {})
  await smsc.start()
  if (start === 'down') await smsc.stop()
  const receipts: Receipt[] = []
  const told: string[] = []
  const book = memoryCarrierReferences()
  const place = someContext({
    carrierReferences: book,
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence, fields) => void told.push(`${level}: ${sentence} ${JSON.stringify(fields ?? {})}`),
    ...given.place,
  })
  const another = () => openSmpp({ host: '127.0.0.1', port: smsc.port, ...SMSC, ...given.settings }, place, WAITS)
  const provider = another()
  if (start === 'up') await allUp(provider)
  return {
    smsc,
    provider,
    book,
    receipts,
    told,
    another,
    async [Symbol.asyncDispose]() {
      await smsc.stop()
      await provider[Symbol.asyncDispose]()
    },
  }
}

export const allUp = (provider: OpenedProvider): Promise<true> =>
  until('every session to be up', () => {
    const { wanted, up } = provider.connections?.() ?? { wanted: 1, up: 0 }
    return wanted === up
  })
