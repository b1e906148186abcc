/** The number of messages per error code, by channel and provider: of all messages or of dead letters. */
import { type Static, Type } from 'typebox'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { ErrorCount, MessageIndex } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { fromTime, listOf, namedObject, nullable, responses, Time, untilTime } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { readInstant } from '../messages/message-search.ts'

export type ErrorStatsDeps = Readonly<{ index: Pick<MessageIndex, 'errors'>; guard: Guard }>

const MAX_ITEMS = 200

export function errorStatsRoutes(app: Api, { index, guard }: ErrorStatsDeps): void {
  app.get('/v1/stats/errors', { schema: ERRORS, onRequest: guard('messages:read') }, async (request) => {
    const { from: start, to: end, dead } = request.query
    const from = start === undefined ? undefined : readInstant('from', start)
    const to = end === undefined ? undefined : readInstant('to', end)
    if (from !== undefined && to !== undefined && from >= to) {
      throw refuseFields([{ path: '/from', message: 'must be before /to' }])
    }
    const bounds = omitUndefined({ from, to, dead })
    const counts = await index.errors({ tenantId: callerOf(request).tenantId, ...bounds, limit: MAX_ITEMS })
    return { items: counts.map(toView) }
  })
}

const ErrorCountView = namedObject('ErrorCount', {
  channel: Enums.Channel(),
  provider: nullable(Type.String({ description: 'Null for messages without an attempt.' })),
  error_code: Type.String({ examples: ['TIMEOUT'] }),
  count: Type.Integer({ examples: [17] }),
  newest_at: Type.Unsafe<string>({ ...Time, description: 'When the newest of these messages was created.' }),
})

const toView = ({ channel, provider, code, count, newestAt }: ErrorCount): Static<typeof ErrorCountView> => ({
  channel,
  provider: provider ?? null,
  error_code: code,
  count,
  newest_at: toIso(newestAt),
})

const ERRORS = {
  operationId: 'getErrorStats',
  tags: ['operations'],
  summary: 'Count messages by error',
  description:
    `Counts messages by channel, provider and latest error code, most frequent first, at most ${MAX_ITEMS} items. ` +
    'Messages that recovered from an error are not counted.',
  querystring: Type.Object(
    {
      from: fromTime('Created'),
      to: untilTime('Created'),
      dead: Type.Optional(Type.Boolean({ description: 'Only dead letters (true) or only other messages (false).' })),
    },
    { additionalProperties: false },
  ),
  response: responses({ 200: { description: 'The errors.', schema: listOf(ErrorCountView) } }, 'VALIDATION_ERROR'),
}
