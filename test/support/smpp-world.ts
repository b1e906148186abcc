/** A fake SMSC, a connector to it with short rebind delays, and the connector's receipts and log lines. */

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
    carrierReferences: CarrierReferences
    /** The reported receipts, oldest first. */
    receipts: readonly Receipt[]
    /** The log lines: level and text. */
    logs: readonly string[]
    /** Opens another connector to the same SMSC with the same carrier references. */
    openAnother: () => OpenedProvider
  }>

export type SmppWorldOptions = Readonly<{
  smsc?: SmscOptions
  settings?: Partial<Settings>
  context?: Partial<ProviderContext>
}>

const WAITS = { lost: { firstMs: 20, mostMs: 100 }, refused: { firstMs: 20, mostMs: 100 } }

/** `down`: the SMSC is not listening, and this does not wait for a session. */
export async function openSmppWorld(given: SmppWorldOptions = {}, start: 'up' | 'down' = 'up'): Promise<SmppWorld> {
  const smsc = new FakeSmsc(given.smsc ?? {})
  await smsc.start()
  if (start === 'down') await smsc.stop()
  const receipts: Receipt[] = []
  const logs: string[] = []
  const carrierReferences = memoryCarrierReferences()
  const context = someContext({
    carrierReferences,
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence, fields) => void logs.push(`${level}: ${sentence} ${JSON.stringify(fields ?? {})}`),
    ...given.context,
  })
  const openAnother = () => openSmpp({ host: '127.0.0.1', port: smsc.port, ...SMSC, ...given.settings }, context, WAITS)
  const provider = openAnother()
  if (start === 'up') await allUp(provider)
  return {
    smsc,
    provider,
    carrierReferences,
    receipts,
    logs,
    openAnother,
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
