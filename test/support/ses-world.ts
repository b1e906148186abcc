/** Fakes of SES and SNS, and the provider between them. */
import type { Instant } from '../../src/lib/time.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { ProviderContext } from '../../src/providers/kind.ts'
import { openSes } from '../../src/providers/ses/ses.ts'
import type { Settings } from '../../src/providers/ses/settings.ts'
import { openFakeSes, SES as SETTINGS } from './fake-ses.ts'
import { CERTIFICATE_URL, fakeSns, SUBSCRIBE_URL, TOPIC } from './sns.ts'
import { until } from './until.ts'

export type SesWorldOptions = Readonly<{
  settings?: Partial<Settings>
  context?: Partial<ProviderContext>
  at?: Instant
}>
export type SesWorld = Awaited<ReturnType<typeof openWorld>>

/** `visited` are the SNS addresses that were fetched, `logs` the log lines. */
export async function openWorld({ settings = {}, context = {}, at }: SesWorldOptions = {}) {
  const fake = await openFakeSes()
  const sns = fakeSns(at)
  const visited: string[] = []
  const logs: string[] = []
  const pages = new Map([
    [CERTIFICATE_URL, sns.certificate],
    [SUBSCRIBE_URL, '<ConfirmSubscriptionResponse/>'],
  ])
  const provider = openSes(
    { ...SETTINGS, endpoint: fake.url, topics: [TOPIC], max_per_second: 10_000, ...settings },
    someContext({ log: (level, sentence) => logs.push(`${level}: ${sentence}`), ...context }),
    async (url) => {
      visited.push(url)
      return pages.get(url)
    },
  )
  return {
    fake,
    sns,
    pages,
    visited,
    logs,
    provider,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

/** Aborts with `signal`, but not before the server has read the request. */
export function abortAfterRequest({ fake }: SesWorld, signal: AbortSignal): AbortSignal {
  const { length } = fake.requests
  const controller = new AbortController()
  signal.addEventListener('abort', () => {
    void until('the call', () => fake.requests.length > length).then(
      () => controller.abort(signal.reason),
      () => controller.abort(signal.reason),
    )
  })
  return controller.signal
}
