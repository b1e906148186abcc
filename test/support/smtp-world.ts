/** A mail server, a connector to it, and what the connector reports and tells. */
import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider, ProviderContext } from '../../src/providers/kind.ts'
import type { Settings } from '../../src/providers/smtp/settings.ts'
import { openSmtp } from '../../src/providers/smtp/smtp.ts'
import { type SinkOptions, SmtpSink } from './smtp-sink.ts'

export type SmtpWorld = AsyncDisposable &
  Readonly<{ sink: SmtpSink; provider: OpenedProvider; receipts: readonly Receipt[]; told: readonly string[] }>

export type Given = Readonly<{
  sink?: SinkOptions
  settings?: Partial<Settings>
  place?: Partial<ProviderContext>
  drainMs?: number
}>

export async function openSmtpWorld(given: Given = {}): Promise<SmtpWorld> {
  const sink = new SmtpSink(given.sink)
  await sink.start()
  const receipts: Receipt[] = []
  const told: string[] = []
  const place = someContext({
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence, fields) => void told.push(`${level}: ${sentence} ${JSON.stringify(fields ?? {})}`),
    ...given.place,
  })
  const settings = {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none' as const,
    from: 'Acme <no-reply@acme.example>',
    ...given.settings,
  }
  // Nobody who is done waits for those who hang.
  const provider = openSmtp(settings, place, given.drainMs ?? 100)
  return {
    sink,
    provider,
    receipts,
    told,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await sink.stop()
    },
  }
}
