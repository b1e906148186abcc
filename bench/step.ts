/** One part of a run: told of on the terminal as it ends. */
import type { Measured } from './measure.ts'
import { ms, whole } from './verdict.ts'

export const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** A part that fails says so, and does not take the others along. */
export async function step<Value>(
  name: string,
  take: () => Promise<Value>,
  tell: (value: Value) => string,
): Promise<readonly Value[]> {
  try {
    const value = await take()
    say(`${name.padEnd(34)} ${tell(value)}`)
    return [value]
  } catch (error) {
    say(`${name.padEnd(34)} failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
    return []
  }
}

export const tellRate = ({ messagesPerSecond, load }: Measured): string =>
  `${whole(messagesPerSecond)}/s, p99 ${load.latency.p99.toFixed(1)} ms`

type Together = Readonly<{ alone: readonly Measured[]; beside: readonly Readonly<{ accept: Measured }>[] }>

export function tellBeside({ alone, beside }: Together): string {
  const told = (runs: readonly Measured[]): string => runs.map(({ load }) => ms(load.latency.p99)).join(', ')
  return `p99 ${told(alone)} alone, ${told(beside.map(({ accept }) => accept))} beside`
}
