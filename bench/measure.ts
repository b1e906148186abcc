/** Runs a load on a server and measures the CPU of both. */
import { type CpuSplit, readBusySeconds } from './cpu.ts'
import type { LoadMessage, LoadOrder, LoadReport, LoadSpec } from './load.ts'
import { startScript } from './processes.ts'
import type { Target } from './target.ts'

export type Measured = Watched &
  Readonly<{
    load: LoadReport
    /** Messages per second; a request may carry many. */
    messagesPerSecond: number
    /** At the end. */
    rssMb: number
    /** The output rate meanwhile, if it was counted. */
    outPerSecond: number | undefined
  }>

export type RunningLoad = Readonly<{
  /** Resolves when the warm-up is over. */
  started: Promise<void>
  report: Promise<LoadReport>
  setRate: (rate: number) => void
}> &
  AsyncDisposable

export async function openLoad(spec: LoadSpec): Promise<RunningLoad> {
  const { child, ...closing } = await startScript(new URL('./load.ts', import.meta.url), 'the load generator')
  const started = Promise.withResolvers<void>()
  const report = Promise.withResolvers<LoadReport>()
  for (const { promise } of [started, report]) promise.catch(() => undefined)
  child.on('message', (message: LoadMessage) => {
    if (message.kind === 'started') started.resolve()
    else report.resolve(message.report)
  })
  child.once('exit', (code) => {
    const error = new Error(`the load generator ended with ${code}`)
    started.reject(error)
    report.reject(error)
  })
  const order = (given: LoadOrder): void => void child.send(given)
  order({ kind: 'run', spec })
  return {
    started: started.promise,
    report: report.promise,
    setRate: (rate) => order({ kind: 'rate', rate }),
    ...closing,
  }
}

export type LoadPlan = Omit<LoadSpec, 'ports'> &
  Readonly<{
    messagesPerRequest?: number
    /** The number of messages output so far. */
    countOut?: () => Promise<number>
  }>

export async function measure(target: Target, plan: LoadPlan): Promise<Measured> {
  const { messagesPerRequest = 1, countOut, ...spec } = plan
  await using running = await openLoad({ ...spec, ports: target.ports })
  await running.started
  const stopWatch = watchCpu(target)
  const [begunAt, before] = [performance.now(), await countOut?.()]
  const load = await running.report
  const [endedAt, after] = [performance.now(), await countOut?.()]
  const messages = load.answers * messagesPerRequest
  return {
    load,
    messagesPerSecond: messages / load.seconds,
    ...stopWatch(load, messages),
    rssMb: target.rssMb(),
    outPerSecond:
      before === undefined || after === undefined ? undefined : ((after - before) * 1000) / (endedAt - begunAt),
  }
}

export type Watched = Readonly<{
  /** CPU per message in µs, by thread or process. */
  cpu: CpuSplit
  /** The cores that other processes used meanwhile, without the load generator. */
  othersCores: number
}>

/** Starts watching the CPU of a target; the returned function takes the load, if any, and the number of messages. */
export function watchCpu(target: Pick<Target, 'watch'>): (load: LoadReport | undefined, messages: number) => Watched {
  const [begunAt, busyBefore, used] = [performance.now(), readBusySeconds(), target.watch()]
  return (load, messages) => {
    const split = used()
    const busy = readBusySeconds() - busyBefore
    const loadSeconds = load === undefined ? 0 : (load.cpuMicrosPerAnswer * load.answers) / 1e6
    const ours = Object.values(split).reduce((sum, seconds) => sum + seconds, loadSeconds)
    const toMicros = (seconds: number): number => (seconds * 1e6) / messages
    return {
      cpu: {
        ...Object.fromEntries(Object.entries(split).map(([name, seconds]) => [name, toMicros(seconds)])),
        ...(load === undefined ? {} : { load: toMicros(loadSeconds) }),
      },
      othersCores: Math.max(0, ((busy - ours) * 1000) / (performance.now() - begunAt)),
    }
  }
}

/** The median run by rate; of two in the middle the slower. */
export const medianOf = (runs: readonly Measured[]): Measured =>
  medianBy(runs, ({ messagesPerSecond }) => messagesPerSecond)

/** The median by a figure; of two in the middle the smaller. */
export function medianBy<Value>(values: readonly Value[], read: (value: Value) => number): Value {
  const sorted = values.toSorted((one, other) => read(one) - read(other))
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  if (median === undefined) throw new Error('no values')
  return median
}
