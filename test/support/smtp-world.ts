/** A mail server, a connector to it, and the connector's receipts and log lines. */
import type { Receipt } from '../../src/ports/provider.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { OpenedProvider, ProviderContext } from '../../src/providers/kind.ts'
import type { Settings } from '../../src/providers/smtp/settings.ts'
import { openSmtp } from '../../src/providers/smtp/smtp.ts'
import { type SinkOptions, SmtpSink } from './smtp-sink.ts'

export type SmtpWorld = AsyncDisposable &
  Readonly<{ sink: SmtpSink; provider: OpenedProvider; receipts: readonly Receipt[]; logs: readonly string[] }>

export type SmtpWorldOptions = Readonly<{
  sink?: SinkOptions
  settings?: Partial<Settings>
  context?: Partial<ProviderContext>
  drainMs?: number
}>

export async function openSmtpWorld(given: SmtpWorldOptions = {}): Promise<SmtpWorld> {
  const sink = new SmtpSink(given.sink)
  await sink.start()
  const receipts: Receipt[] = []
  const logs: string[] = []
  const context = someContext({
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence, fields) => void logs.push(`${level}: ${sentence} ${JSON.stringify(fields ?? {})}`),
    ...given.context,
  })
  const settings = {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none' as const,
    from: 'Acme <no-reply@acme.example>',
    ...given.settings,
  }
  // A short drain: closing does not wait for sessions that hang.
  const provider = openSmtp(settings, context, given.drainMs ?? 100)
  return {
    sink,
    provider,
    receipts,
    logs,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await sink.stop()
    },
  }
}
