/** One part of a run: told of on the terminal as it ends. */
import type { Measured } from './measure.ts'
import { whole } from './results.ts'

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
