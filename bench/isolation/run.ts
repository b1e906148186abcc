/** What one tenant costs another: one burns CPU, guesses codes, searches and streams; another one goes on. */
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { measureRaw, measureValidating } from '../codes.ts'
import { readMachine } from '../machine.ts'
import { writeResults } from '../markdown.ts'
import type { Options } from '../options.ts'
import { formatRate, step } from '../step.ts'
import { ms, whole } from '../verdict.ts'
import { type Burning, measureBurning } from './burning.ts'
import { measureGuessing } from './guessing.ts'
import { measureReading, measureStreaming } from './reading.ts'
import { burningHealth, burningRatio, type IsolationResults, readingRatio, toIsolationMarkdown } from './report.ts'

const formatBurning = (burning: Burning): string =>
  `health p99 ${ms(burningHealth(burning))}, send p99 ${burningRatio(burning).toFixed(2)} × its usual`

export async function measureIsolation(options: Options): Promise<IsolationResults> {
  const { seconds } = options
  const [begunAt, machine] = [performance.now(), readMachine()]
  const [burning] = await step('burning templates', () => measureBurning(options), formatBurning)
  const [guessing] = await step(
    'guessed codes',
    measureGuessing,
    ({ unknown, own }) => `generated in at most ${ms(unknown.slowestMs)} and ${ms(own.slowestMs)}`,
  )
  const [reading] = await step(
    'searches',
    () => measureReading(options),
    (reading) => `list p99 ${readingRatio(reading).toFixed(2)} × its usual`,
  )
  const [streaming] = await step(
    'event streams',
    measureStreaming,
    ({ usualSeconds, besideSeconds }) =>
      `delivered in ${besideSeconds.toFixed(2)} s, usually ${usualSeconds.toFixed(2)} s`,
  )
  const raw = await step(
    'bcrypt alone',
    () => measureRaw(options),
    (rate) => `${whole(rate)}/s`,
  )
  const [most = 0] = raw
  const validating =
    most === 0 ? [] : await step('validating codes', () => measureValidating(most, options), formatRate)
  const measured = omitUndefined({ burning, guessing, reading, streaming })
  const [at, tookSeconds] = [new Date().toISOString(), (performance.now() - begunAt) / 1000]
  return { at, machine, tookSeconds, seconds, ...measured, codes: { raw, validating } }
}

export function writeIsolation(results: IsolationResults, folder: string): void {
  writeResults(folder, 'isolation', results, toIsolationMarkdown(results))
}
