/** Which errors messages have met, by channel and provider: of all of them, or of the dead letters alone. */
import { type Static, Type } from 'typebox'
import { CHANNELS } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { ErrorCount, MessageIndex } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, queryText, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { readInstant } from './message-search.ts'

export type ErrorMixDeps = Readonly<{ index: Pick<MessageIndex, 'errors'>; guard: Guard }>

const MOST = 200

export function errorMixRoutes(app: Api, { index, guard }: ErrorMixDeps): void {
  app.get('/v1/stats/errors', { schema: ERRORS, onRequest: guard('messages:read') }, async (request) => {
    const { from: start, to: end, dead } = request.query
    const from = start === undefined ? undefined : readInstant('from', start)
    const to = end === undefined ? undefined : readInstant('to', end)
    if (from !== undefined && to !== undefined && from >= to) {
      throw refuseFields([{ path: '/from', message: 'must be before `to`' }])
    }
    const bounds = omitUndefined({ from, to, dead })
    const counts = await index.errors({ tenantId: callerOf(request).tenantId, ...bounds, limit: MOST })
    return { items: counts.map(toView) }
  })
}

const Counted = Type.Object({
  channel: Type.Enum(CHANNELS),
  provider: nullable(Type.String({ description: 'Null for messages no provider was asked to carry.' })),
  error_code: Type.String({ examples: ['TIMEOUT'] }),
  count: Type.Integer({ examples: [17] }),
  newest_at: Type.Unsafe<string>({ ...Time, description: 'When the newest of these messages was created.' }),
})

const toView = ({ channel, provider, code, count, newestAt }: ErrorCount): Static<typeof Counted> => ({
  channel,
  provider: provider ?? null,
  error_code: code,
  count,
  newest_at: toIso(newestAt),
})

const ERRORS = {
  operationId: 'getErrorMix',
  tags: ['operations'],
  summary: 'Which errors messages have met',
  description:
    `Messages whose latest error is the same, counted by channel, provider and code: most first, at most ${MOST}. ` +
    'An error that was overcome counts no more.',
  querystring: Type.Object(
    {
      from: Type.Optional(queryText('RFC 3339, inclusive: the time of creation. From the first on unless said.', 40)),
      to: Type.Optional(queryText('RFC 3339, exclusive.', 40)),
      dead: Type.Optional(Type.Boolean({ description: 'Only dead letters, or only what is none.' })),
    },
    { additionalProperties: false },
  ),
  response: answers(
    { 200: { description: 'The errors.', schema: Type.Object({ items: Type.Array(Counted) }) } },
    'VALIDATION_ERROR',
  ),
}
