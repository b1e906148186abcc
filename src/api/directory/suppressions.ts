/** The list of those who get no more mail: what bounced for good, who complained, and whom a person put there. */
import { type Static, Type } from 'typebox'
import type { EmailAddress } from '../../domain/email/address.ts'
import { PERSONAL_REASONS, SUPPRESSION_REASONS, type Suppression } from '../../domain/email/suppression.ts'
import type { TenantId } from '../../domain/ids.ts'
import {
  MAX_NOTE,
  type ParsedSuppression,
  parseSuppressed,
  parseSuppression,
} from '../../domain/requests/suppression-request.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { toIso } from '../../lib/time.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, queryText, RequestId, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { PageFields } from '../messages/message-search.ts'

export type SuppressionsDeps = Readonly<{ suppressions: Suppressions; clock: Clock; guard: Guard }>

const MAX_ITEMS = 1000
const BODY_LIMIT = 2 * 1024 * 1024

export function suppressionRoutes(app: Api, deps: SuppressionsDeps): void {
  const { suppressions, clock, guard } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]
  const importing = { schema: IMPORT, onRequest: mayWrite, bodyLimit: BODY_LIMIT }

  app.get('/v1/suppressions', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { q, limit = 50, ...where } = request.query
    const text = q === undefined ? {} : { text: q }
    const { tenantId } = callerOf(request)
    const page = await suppressions.list({ tenantId, at: clock(), limit, ...where, ...text })
    return { items: page.suppressions.map(toShown), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/suppressions', importing, async (request) => {
    const [{ tenantId }, at] = [callerOf(request), clock()]
    const parsed = request.body.items.map((item, place) => parseSuppression(tenantId, item, at, `/items/${place}`))
    return { added: await addAll(deps, readAll(parsed)) }
  })

  app.get('/v1/suppressions/:address', { schema: FIND, onRequest: mayRead }, async (request) =>
    toShown(await find(deps, callerOf(request).tenantId, request.params.address)),
  )

  app.put('/v1/suppressions/:address', { schema: PUT, onRequest: mayWrite }, async (request) => {
    const fields = { ...request.body, address: request.params.address }
    const [suppression] = readAll([parseSuppression(callerOf(request).tenantId, fields, clock())])
    if (suppression === undefined) throw none()
    await suppressions.add(suppression)
    return toShown(suppression)
  })

  app.delete('/v1/suppressions/:address', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const { tenantId, address } = await find(deps, callerOf(request).tenantId, request.params.address)
    if (!(await suppressions.remove(tenantId, address))) throw none()
    return reply.code(204).send()
  })
}

const none = () => refuse('NOT_FOUND', 'this address is not on the list')

async function find({ suppressions, clock }: SuppressionsDeps, tenantId: TenantId, text: string): Promise<Suppression> {
  const address = parseSuppressed(text)
  const [found] = address === undefined ? [] : await suppressions.find(tenantId, [address], clock())
  if (found === undefined) throw none()
  return found
}

/** All of them, or a refusal that names every bad field. */
function readAll(parsed: readonly ParsedSuppression[]): readonly Suppression[] {
  const problems = parsed.flatMap((one) => (one.kind === 'bad' ? one.problems : []))
  if (problems.length > 0) throw refuseFields(problems)
  return parsed.flatMap((one) => (one.kind === 'ok' ? [one.suppression] : []))
}

/** Few enough at once for each to get its turn at the store in time. */
const AT_ONCE = 50

/** How many addresses there were; what is said last of one is what counts. */
async function addAll({ suppressions }: SuppressionsDeps, said: readonly Suppression[]): Promise<number> {
  const entries = [...new Map<EmailAddress, Suppression>(said.map((entry) => [entry.address, entry])).values()]
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    await Promise.all(entries.slice(from, from + AT_ONCE).map((entry) => suppressions.add(entry)))
  }
  return entries.length
}

/** Whoever may read the list may read it in full: masked, it would be of no use. */
const toShown = (entry: Suppression): Static<typeof Shown> => ({
  address: entry.address,
  reason: entry.reason,
  note: entry.note ?? null,
  message_id: entry.messageId ?? null,
  created_at: toIso(entry.createdAt),
  expires_at: entry.expiresAt === undefined ? null : toIso(entry.expiresAt),
})

const Address = Type.String({ description: 'In any case.', maxLength: 254, examples: ['ana@example.com'] })
const Note = Type.String({ description: 'Your own words.', minLength: 1, maxLength: MAX_NOTE, examples: ['by phone'] })

const Fields = {
  reason: Type.Optional(Type.Enum(PERSONAL_REASONS, { default: 'manual' })),
  note: Type.Optional(Note),
  expires_at: Type.Optional(Type.String({ ...Time, description: 'For good unless said otherwise.' })),
}

const Shown = Type.Object({
  address: Type.String({ description: 'In small letters.', examples: ['ana@example.com'] }),
  reason: Type.Enum(SUPPRESSION_REASONS),
  note: nullable(Note),
  message_id: Type.Union([RequestId, Type.Null()], { description: 'The message that was told of it.' }),
  created_at: Time,
  expires_at: nullable(Time),
})

const tags = ['suppressions']
const params = Type.Object({ address: Type.String({ description: 'An email address.' }) })

const LIST = {
  operationId: 'listSuppressions',
  tags,
  summary: 'Who gets no more mail',
  description: 'Newest first.',
  querystring: Type.Object(
    {
      reason: Type.Optional(Type.Enum(SUPPRESSION_REASONS)),
      q: Type.Optional(queryText('The beginning of an address, or of its domain.', 254)),
      ...PageFields,
      // An address is in it.
      cursor: Type.Optional(queryText('The `next_cursor` of the page before.', 300)),
    },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'A page of addresses.',
        schema: Type.Object({
          items: Type.Array(Shown),
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

const Item = Type.Object({ address: Address, ...Fields }, { additionalProperties: false })

const IMPORT = {
  operationId: 'importSuppressions',
  tags,
  summary: 'Add up to 1,000 addresses',
  description:
    'All or, where one is wrong, none. Takes the place of what was known of each; a call that broke off can be repeated.',
  body: Type.Object(
    { items: Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS, description: `1 to ${MAX_ITEMS} addresses.` }) },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'They are on the list.',
        schema: Type.Object({ added: Type.Integer({ description: 'How many different addresses.', examples: [1] }) }),
      },
    },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
  ),
}

const FIND = {
  operationId: 'getSuppression',
  tags,
  summary: 'Whether and why an address gets no more mail',
  description: 'An entry whose time is over is not on the list any more.',
  params,
  response: answers({ 200: { description: 'It is on the list.', schema: Shown } }, 'NOT_FOUND'),
}

const PUT = {
  operationId: 'putSuppression',
  tags,
  summary: 'Send no more mail to an address',
  description:
    'Takes the place of what was known of it. A body of `{}` is enough. Mail that was accepted and not sent yet fails.',
  params,
  body: Type.Object(Fields, { additionalProperties: false, examples: [{ note: 'by phone' }] }),
  response: answers({ 200: { description: 'It is on the list.', schema: Shown } }, 'VALIDATION_ERROR'),
}

const REMOVE = {
  operationId: 'removeSuppression',
  tags,
  summary: 'Send mail to an address again',
  description: 'Should mail bounce for good again, or its reader complain, the address comes back by itself.',
  params,
  response: { 204: { description: 'It is gone.', type: 'null' }, ...answers({}, 'NOT_FOUND') },
}
