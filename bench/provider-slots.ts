/**
 * (i): provider slots. How many messages are sent through a provider with high latency, by the number of calls in
 * flight; and how a working provider performs while another hangs.
 */
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { TWILIO } from '../test/support/fake-twilio.ts'
import { toOpenLoop } from './accept.ts'
import { findPace } from './end-to-end.ts'
import { type LoadPlan, measure, openLoad } from './measure.ts'
import { toSms } from './messages.ts'
import type { Options, Times } from './options.ts'
import { startProcess } from './processes.ts'
import { type Gateway, type GatewayOptions, openGateway } from './server.ts'
import { step } from './step.ts'
import { runStretch, type Stretch } from './stretch.ts'
import { untilSent } from './target.ts'
import { whole } from './verdict.ts'

/** Messages sent with this many calls in flight. */
export type Distant = Readonly<{ concurrency: number; sent: Stretch }>
/** Messages per second sent by the working provider, alone and beside the hanging one; each gets `pace`. */
export type Hanging = Readonly<{ pace: number; alone: readonly number[]; beside: readonly number[] }>
export type Providers = Readonly<{ latencyMs: number; distant: readonly Distant[]; hanging?: Hanging }>

const LATENCY_MS = 50
const CONCURRENCIES = [16, 64, 256, 512]
/** The first pace when (c) was not measured. */
const SOME_RATE = 1_000
/** The share of the best pace, so that accepting the messages that hang does not saturate the machine. */
const SHARE = 0.3
/** The numbers of the working provider and of the hanging one. */
const PREFIX = { near: '+5511', far: '+4479' }
/** Longer than the measurement, so that no breaker opens and frees the slots. */
const TIMEOUT_SECONDS = '120'

/** `rate` is the result of (c). */
export async function measureProviders(options: Options, rate: number | undefined): Promise<Providers> {
  const distant: Distant[] = []
  for (const concurrency of CONCURRENCIES) {
    const take = () => measureDistant(concurrency, options, rate)
    distant.push(...(await step(`(i1) ${LATENCY_MS} ms, ${concurrency} calls at once`, take, formatDistant)))
  }
  const fastest = Math.max(...distant.map(({ sent }) => sent.handedOffPerSecond), 0)
  const pace = SHARE * (fastest === 0 ? SOME_RATE : fastest)
  const [hanging] = await step('(i2) beside one that hangs', () => measureHanging(pace, options), formatHanging)
  return { latencyMs: LATENCY_MS, distant, ...omitUndefined({ hanging }) }
}

const formatDistant = ({ sent }: Distant): string => `${whole(sent.handedOffPerSecond)}/s`
const formatHanging = ({ alone, beside }: Hanging): string =>
  `${alone.map(whole).join(', ')}/s alone, ${beside.map(whole).join(', ')}/s beside it`

export async function measureDistant(concurrency: number, times: Times, rate = SOME_RATE): Promise<Distant> {
  const env = { POMBO_CONCURRENCY: `${concurrency}` }
  await using world = await openWorld({ env, tree: times.tree }, ['--latency-ms', `${LATENCY_MS}`])
  const { gateway } = world
  const maxRate = (concurrency * 1000) / LATENCY_MS
  const pace = await findPace(untilSent(gateway), Math.min(rate, maxRate / 2), times)
  const sent = await runStretch(untilSent(gateway), toOpenLoop(gateway, pace, times), { rate: pace })
  return { concurrency, sent }
}

/** Both on one gateway: first without load for the hanging provider, then with it. */
async function measureHanging(pace: number, { runs, seconds, warmUpSeconds }: Options): Promise<Hanging> {
  const times = { warmUpSeconds, seconds: 2 * seconds }
  const [alone, beside]: [number[], number[]] = [[], []]
  for (let run = 1; run <= runs; run += 1) {
    await using world = await openWorld({ env: { POMBO_PROVIDER_TIMEOUT_SECONDS: TIMEOUT_SECONDS } }, ['--hang'])
    const { gateway } = world
    alone.push(await measureSent(gateway, toLoad(gateway, PREFIX.near, pace, times)))
    // Starts before the measurement and ends after it.
    const longer = { warmUpSeconds, seconds: times.seconds + 2 * warmUpSeconds + 1 }
    await using stuck = await openLoad({ ...toLoad(gateway, PREFIX.far, pace, longer), ports: gateway.ports })
    await stuck.started
    beside.push(await measureSent(gateway, toLoad(gateway, PREFIX.near, pace, times)))
  }
  return { pace, alone, beside }
}

const toLoad = (gateway: Gateway, prefix: string, pace: number, times: Times): LoadPlan => ({
  ...toOpenLoop(gateway, pace, times),
  request: toSms(gateway.token, prefix),
})

/** Only messages of the working provider are ever handed off. */
async function measureSent(gateway: Gateway, plan: LoadPlan): Promise<number> {
  const { outPerSecond } = await measure(gateway, {
    ...plan,
    countOut: async () => (await gateway.metrics()).handedOff,
  })
  return outPerSecond ?? Number.NaN
}

type World = AsyncDisposable & Readonly<{ gateway: Gateway }>

/** A gateway with two providers; `far` are the options of the second. */
async function openWorld(options: GatewayOptions, far: readonly string[]): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const near = opened.use(await startTwilio(['--latency-ms', `${LATENCY_MS}`]))
  const other = opened.use(await startTwilio(far))
  const toProvider = (name: string, base_url: string) => ({
    name,
    kind: 'twilio',
    settings: { ...TWILIO, from: '+15005550006', base_url, callbacks: false },
  })
  const toRoute = (name: keyof typeof PREFIX) => ({ id: name, channel: 'sms', prefix: PREFIX[name], providers: [name] })
  const config = {
    providers: [toProvider('near', near.url), toProvider('far', other.url)],
    routes: [toRoute('near'), toRoute('far')],
  }
  const gateway = opened.use(await openGateway({ ...options, config }))
  const closing = opened.move()
  return { gateway, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

async function startTwilio(args: readonly string[]): Promise<AsyncDisposable & Readonly<{ url: string }>> {
  const running = await startProcess({
    name: 'Twilio',
    file: process.execPath,
    args: [join(import.meta.dirname, 'remote-twilio.ts'), ...args],
    ready: /http:\/\/127\.0\.0\.1:\d+/,
  })
  return { url: running.matched[0] ?? '', [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}
