/** SES and SNS as fakes, and the provider between them. */

import type { Instant } from '../../src/lib/time.ts'
import { someContext } from '../../src/providers/context.fixture.ts'
import type { ProviderContext } from '../../src/providers/kind.ts'
import { openSes } from '../../src/providers/ses/ses.ts'
import type { Settings } from '../../src/providers/ses/settings.ts'
import { openFakeSes, SES as SETTINGS } from './fake-ses.ts'
import { CERTIFICATE_URL, fakeSns, SUBSCRIBE_URL, TOPIC } from './sns.ts'
import { until } from './until.ts'

export type Given = Readonly<{ settings?: Partial<Settings>; place?: Partial<ProviderContext>; at?: Instant }>
export type SesWorld = Awaited<ReturnType<typeof openWorld>>

/** `visited` are the addresses of SNS that were read, and `told` what the operator was told. */
export async function openWorld({ settings = {}, place = {}, at }: Given = {}) {
  const fake = await openFakeSes()
  const sns = fakeSns(at)
  const visited: string[] = []
  const told: string[] = []
  const pages = new Map([
    [CERTIFICATE_URL, sns.certificate],
    [SUBSCRIBE_URL, '<ConfirmSubscriptionResponse/>'],
  ])
  const provider = openSes(
    { ...SETTINGS, endpoint: fake.url, topics: [TOPIC], max_per_second: 10_000, ...settings },
    someContext({ log: (level, sentence) => told.push(`${level}: ${sentence}`), ...place }),
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
    told,
    provider,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

/** Gives up like the signal, and not before the call was made, however slow the machine. */
export function onceHeard({ fake }: SesWorld, signal: AbortSignal): AbortSignal {
  const { length } = fake.heard
  const impatience = new AbortController()
  signal.addEventListener('abort', () => {
    void until('the call', () => fake.heard.length > length).then(
      () => impatience.abort(signal.reason),
      () => impatience.abort(signal.reason),
    )
  })
  return impatience.signal
}
