/** One row of the results table, and its number formats. */
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { type Measured, medianBy } from './measure.ts'
import type { Compared } from './rounds.ts'
import type { Stretch } from './stretch.ts'

/** `target` is absent for results that are only informative. */
export type Verdict = Readonly<{ part: string; what: string; measured: string; target?: string; met?: boolean }>

/** A rate relative to another one, and whether it reaches the target share. */
export const share = (rate: number, of: number | undefined, name: string, target?: number) =>
  shareOf(omitUndefined({ rate, ratio: of === undefined ? undefined : rate / of }), name, target)

export function shareOf({ rate, ratio }: Compared, name: string, target?: number) {
  const measured = `${whole(rate)}/s${ratio === undefined ? '' : ` = ${ratio.toFixed(2)} × ${name}`}`
  if (target === undefined) return { measured }
  return omitUndefined({
    measured,
    target: `≥ ${target} × ${name}`,
    met: ratio === undefined ? undefined : ratio >= target,
  })
}

/** The p99 of accepting alone and under additional load, by their medians. */
export function besideVerdicts<Busy extends Readonly<{ accept: Measured }>>(
  part: string,
  { alone, beside }: Readonly<{ alone: readonly Measured[]; beside: readonly Busy[] }>,
  format: (busy: Busy) => string,
  target: number,
): readonly Verdict[] {
  if (alone.length === 0 || beside.length === 0) return []
  const p99Of = ({ load }: Measured): number => load.latency.p99
  const idle = medianBy(alone, p99Of)
  const busy = medianBy(beside, ({ accept }) => p99Of(accept))
  const ratio = p99Of(busy.accept) / p99Of(idle)
  return [
    { part, what: `p99 of accepting ${whole(idle.messagesPerSecond)}/s`, measured: ms(p99Of(idle)) },
    {
      part,
      what: `the same beside ${format(busy)}`,
      measured: `${ms(p99Of(busy.accept))} = ${ratio.toFixed(2)} × alone`,
      target: `≤ ${target} × alone`,
      met: ratio <= target,
    },
  ]
}

/** Whether a pace was sustained. */
export const backlogVerdict = (part: string, held: Stretch): Verdict => ({
  part,
  what: `backlog over ${Math.round(held.load.seconds)} s`,
  measured: `${signed(held.backlogGrowthPerSecond)}/s, at most ${whole(held.backlogMax)}`,
  target: 'not growing',
  met: held.sustained,
})

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const signed = (value: number): string => `${value > 0 ? '+' : ''}${whole(value)}`
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`
