/** What a query for usage accepts, and how its records look. */
import { type Static, Type } from 'typebox'
import { type Day, toIsoDay } from '../../domain/message/usage.ts'
import { USAGE_DIMENSIONS, type UsageDimension, type UsageRecord } from '../../ports/usage-records.ts'
import { Enums } from '../http/enums.ts'
import { namedObject, nullable, queryText, responses } from '../http/schemas.ts'

/** A leap year. */
export const MAX_DAYS = 366

const Parameters = Type.Object(
  {
    from: Type.Optional(queryText('The first day, in UTC. By default the first of the month of `to`.', 10)),
    to: Type.Optional(queryText(`The last day, in UTC: by default today. At most ${MAX_DAYS} days in all.`, 10)),
    account_id: Type.Optional(
      queryText('Needs the scope `admin` if it is not your own account; `*` stands for all. By default your own.'),
    ),
    group_by: Type.Optional(
      Type.String({
        description: `Some of ${USAGE_DIMENSIONS.map((name) => `\`${name}\``).join(', ')}, separated by commas; empty for one sum. With \`account\` an admin gets all accounts.`,
        default: 'channel,country,provider',
        maxLength: 100,
      }),
    ),
    format: Type.Optional(
      Type.Enum(['json', 'csv'], { title: 'UsageFormat', description: 'By default as the header `Accept` asks.' }),
    ),
    cursor: Type.Optional(queryText('The `next_cursor` of the previous page.', 2_000)),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5_000, default: 1_000, description: 'The number of items per page.' }),
    ),
  },
  { additionalProperties: false },
)
export type UsageParameters = Static<typeof Parameters>

/** The dimensions as fields. */
export const NAMES = {
  day: 'day',
  account: 'account_id',
  channel: 'channel',
  country: 'country',
  provider: 'provider',
} as const satisfies Record<UsageDimension, string>

export const COUNTS = ['messages', 'segments', 'sent_messages', 'sent_segments'] as const

const DayText = Type.String({ format: 'date', examples: ['2030-01-31'] })

const Item = namedObject('UsageRecord', {
  day: Type.Optional(DayText),
  account_id: Type.Optional(Type.String({ examples: ['shop'] })),
  channel: Type.Optional(Enums.Channel()),
  country: Type.Optional(
    nullable(
      Type.String({
        description: 'The country of the number, as in ISO 3166-1. Null for email, and for numbers of no country.',
        examples: ['PT'],
      }),
    ),
  ),
  provider: Type.Optional(
    nullable(
      Type.String({
        description: 'Null for messages as they were accepted, before a provider was chosen.',
        examples: ['twilio'],
      }),
    ),
  ),
  messages: Type.Integer({ description: 'Accepted by Pombo on that day.' }),
  segments: Type.Integer({ description: 'Their segments; one for an email.' }),
  sent_messages: Type.Integer({
    description: 'Taken by a provider on that day. A message that was sent again counts again.',
  }),
  sent_segments: Type.Integer({ description: 'Their segments; one for an email.' }),
})

/** With the dimensions of the query first, in its order. */
export function toView(groupBy: readonly UsageDimension[], record: UsageRecord): Static<typeof Item> {
  const { key, messages, segments, sentMessages, sentSegments } = record
  const values = groupBy.map((dimension, nth) => {
    const value = key[nth]
    if (typeof value === 'number') return [NAMES[dimension], toIsoDay(value as Day)]
    return [NAMES[dimension], value === '' ? null : value]
  })
  return {
    ...Object.fromEntries(values),
    messages,
    segments,
    sent_messages: sentMessages,
    sent_segments: sentSegments,
  }
}

const Page = namedObject('UsagePage', {
  from: DayText,
  to: DayText,
  group_by: Type.Array(Type.Enum(USAGE_DIMENSIONS, { title: 'UsageDimension' })),
  items: Type.Array(Item),
  next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
})

export const GET = {
  operationId: 'getUsage',
  tags: ['operations'],
  summary: 'Get the usage of accounts',
  description:
    'How many messages and segments were accepted and sent, for bills: also when the messages have been erased or deleted since. ' +
    'Needs `messages:read`, and `admin` for other accounts than your own. ' +
    'As CSV, the header `Link` names the next page.',
  querystring: Parameters,
  response: {
    ...responses({}, 'VALIDATION_ERROR'),
    200: {
      description: 'A page of usage records.',
      content: { 'application/json': { schema: Page }, 'text/csv': { schema: Type.String() } },
    },
  },
}
