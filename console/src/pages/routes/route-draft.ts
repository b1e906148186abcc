/** A route being edited: all fields as strings, and their conversion to the API. */
import type { Addition, Changes, Route, Save } from './data.ts'

export type DraftProvider = Readonly<{ name: string; weight: string }>

export type Draft = Readonly<{
  id: string
  channel: Route['channel']
  prefix: string
  sender: string
  kind: '' | 'sms' | 'flash_sms'
  operator: string
  weighted: boolean
  providers: readonly DraftProvider[]
  ownRetry: boolean
  attempts: string
  waits: string
  jitter: string
  failover: boolean
  /** Empty fields fall back to the defaults of the message's lane. */
  unknownWait: string
  unknownPolicy: '' | NonNullable<NonNullable<Route['unknown']>['policy']>
  giveUp: string
}>

export const EMPTY: Draft = {
  id: '',
  channel: 'sms',
  prefix: '',
  sender: '',
  kind: '',
  operator: '',
  weighted: false,
  providers: [],
  ownRetry: false,
  attempts: '5',
  waits: '2, 4, 8, 16',
  jitter: '0',
  failover: false,
  unknownWait: '',
  unknownPolicy: '',
  giveUp: '',
}

export function toDraft({
  id,
  channel,
  prefix,
  sender,
  kind,
  operator_id: operator,
  providers,
  retry,
  unknown,
}: Route): Draft {
  return {
    ...EMPTY,
    ...{ id, channel, prefix: prefix ?? '', sender: sender ?? '', kind: kind ?? '', operator: operator ?? '' },
    weighted: providers.some((one) => typeof one !== 'string'),
    providers: providers.map((one) =>
      typeof one === 'string' ? { name: one, weight: '1' } : { name: one.name, weight: String(one.weight) },
    ),
    ...(retry === null
      ? {}
      : {
          ownRetry: true,
          attempts: String(retry.max_attempts),
          waits: retry.delays_seconds.join(', '),
          jitter: String(Number((retry.jitter * 100).toPrecision(12))),
          failover: retry.failover,
        }),
    unknownWait: String(unknown?.wait_seconds ?? ''),
    unknownPolicy: unknown?.policy ?? '',
    giveUp: String(unknown?.give_up_seconds ?? ''),
  }
}

/** A new route omits empty fields; a change sets them to null. */
export function toSave(draft: Draft, known: Route | undefined): Save {
  if (known !== undefined) return { kind: 'change', id: known.id, body: { ...toOptional(draft), ...toRest(draft) } }
  const given = Object.fromEntries(Object.entries(toOptional(draft)).filter(([, value]) => value !== null))
  const id = draft.id === '' ? {} : { id: draft.id }
  return { kind: 'add', body: { ...id, ...given, channel: draft.channel, ...toRest(draft) } as Addition }
}

const toOptional = (draft: Draft) => ({
  prefix: draft.prefix.trim() || null,
  sender: draft.sender.trim() || null,
  kind: draft.channel === 'email' || draft.kind === '' ? null : draft.kind,
  operator_id: draft.operator.trim() || null,
  retry: draft.ownRetry
    ? {
        max_attempts: Number(draft.attempts),
        delays_seconds: toNumbers(draft.waits),
        jitter: Number((Number(draft.jitter) / 100).toPrecision(12)),
        failover: draft.failover,
      }
    : null,
  unknown: toUnknown(draft),
})

function toUnknown({ unknownWait, unknownPolicy, giveUp }: Draft): Route['unknown'] {
  const said = {
    ...(unknownWait === '' ? {} : { wait_seconds: Number(unknownWait) }),
    ...(unknownPolicy === '' ? {} : { policy: unknownPolicy }),
    ...(giveUp === '' ? {} : { give_up_seconds: Number(giveUp) }),
  }
  return Object.keys(said).length === 0 ? null : said
}

const toRest = ({ providers, weighted }: Draft): Pick<Required<Changes>, 'providers'> => ({
  providers: providers.map(({ name, weight }) => (weighted ? { name, weight: Number(weight) } : name)),
})

const toNumbers = (text: string): number[] =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(Number)

/** The draft as a route, for the preview. */
export function toPreview(
  draft: Draft,
): Pick<Route, 'channel' | 'prefix' | 'sender' | 'kind' | 'providers' | 'retry' | 'unknown'> {
  return { channel: draft.channel, ...toOptional(draft), ...toRest(draft) } as Route
}
