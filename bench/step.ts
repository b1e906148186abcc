/** Runs one part of the benchmark and prints its result. */
import type { EndToEnd } from './end-to-end.ts'
import type { Measured } from './measure.ts'
import { ms, whole } from './verdict.ts'

export const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** A part that fails is reported and does not stop the others. */
export async function step<Value>(
  name: string,
  take: () => Promise<Value>,
  format: (value: Value) => string,
): Promise<readonly Value[]> {
  try {
    const value = await take()
    say(`${name.padEnd(34)} ${format(value)}`)
    return [value]
  } catch (error) {
    say(`${name.padEnd(34)} failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
    return []
  }
}

export const formatRate = ({ messagesPerSecond, load }: Measured): string =>
  `${whole(messagesPerSecond)}/s, p99 ${load.latency.p99.toFixed(1)} ms`

export const formatEndToEnd = ({ held }: EndToEnd): string =>
  `${whole(held.endToEndPerSecond)}/s${held.sustained ? '' : ', with a growing backlog'}`

type Together = Readonly<{ alone: readonly Measured[]; beside: readonly Readonly<{ accept: Measured }>[] }>

export function formatBeside({ alone, beside }: Together): string {
  const p99s = (runs: readonly Measured[]): string => runs.map(({ load }) => ms(load.latency.p99)).join(', ')
  return `p99 ${p99s(alone)} alone, ${p99s(beside.map(({ accept }) => accept))} beside`
}
