/** Routes in plain words. */
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { toShare } from '../../ui/numbers.ts'
import type { Route } from './data.ts'

const T = ROUTES_TEXTS

type Conditions = Pick<Route, 'channel' | 'kind' | 'sender' | 'prefix'>

/** `SMS to +55…, flash only, from ACME` */
export function conditionsOf({ channel, kind, sender, prefix }: Conditions): string {
  const to = prefix === null ? T.words.all[channel] : T.words.to[channel](prefix)
  return [to, kind === null ? '' : T.words.kinds[kind], sender === null ? '' : T.words.from(sender)]
    .filter((part) => part !== '')
    .join(', ')
}

export type Listed = Readonly<{ name: string; share: string | undefined; isFallback: boolean }>

/** The providers with their share of the traffic, if they have weights. */
export function providersOf({ providers }: Pick<Route, 'providers'>): readonly Listed[] {
  const weights = providers.map((one) => (typeof one === 'string' ? undefined : one.weight))
  const all = weights.reduce<number>((total, weight = 0) => total + weight, 0)
  return providers.map((one, place) => {
    const weight = weights[place]
    return {
      name: typeof one === 'string' ? one : one.name,
      share: weight === undefined || weight === 0 ? undefined : toShare(weight / Math.max(1, all)),
      isFallback: weight === 0,
    }
  })
}

/** `5 attempts, waiting 1 s, 5 s, 30 s ± 25%.`; undefined when the channel's defaults apply. */
export function retryOf({ retry }: Pick<Route, 'retry'>): string | undefined {
  if (retry === null) return undefined
  const { max_attempts: most, delays_seconds: waits, jitter } = retry
  const shown = waits.slice(0, Math.max(1, Math.min(SHOWN_WAITS, most - 1)))
  const more = waits.length > shown.length && most - 1 > shown.length
  return T.words.retry(
    most,
    `${shown.map((wait) => `${wait} s`).join(', ')}${more ? ', …' : ''}`,
    jitter === 0 ? undefined : toShare(jitter),
  )
}

const SHOWN_WAITS = 5

/**
 * `If the outcome is unknown: after 5 s, hold the message, give up after 72 h.`; undefined when the lane's defaults
 * apply.
 */
export function unknownOf({ unknown }: Pick<Route, 'unknown'>): string | undefined {
  if (unknown === null) return undefined
  const { wait_seconds: wait, policy, give_up_seconds: giveUp } = unknown
  return T.words.unknown(
    [
      wait === undefined ? '' : T.words.unknownWait(wait),
      policy === undefined ? '' : T.policies[policy],
      giveUp === undefined ? '' : T.words.giveUp(toSpan(giveUp)),
    ]
      .filter((part) => part !== '')
      .join(', '),
  )
}

/** `72 h` for whole hours, otherwise seconds. */
export const toSpan = (seconds: number): string => (seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds} s`)
