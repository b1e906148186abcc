/** The suppression list: addresses with hard bounces or complaints, and addresses added through the API. */
import { type Static, Type } from 'typebox'
import type { EmailAddress } from '../../domain/email/address.ts'
import { PERSONAL_REASONS, type Suppression } from '../../domain/email/suppression.ts'
import type { TenantId } from '../../domain/ids.ts'
import {
  MAX_NOTE,
  type ParsedSuppression,
  parseSuppressed,
  parseSuppression,
} from '../../domain/requests/suppression-request.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { type Audit, audited } from '../access/audit.ts'
import { hideText, maskAddress } from '../access/snapshots.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import {
  isoOrNull,
  MessageIdText,
  NO_CONTENT,
  namedObject,
  nullable,
  PageFields,
  pageOf,
  queryText,
  responses,
  Time,
} from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'

export type SuppressionsDeps = Readonly<{ suppressions: Suppressions; clock: Clock; guard: Guard; audit: Audit }>

const MAX_ITEMS = 1000
const BODY_LIMIT = 2 * 1024 * 1024

export function suppressionRoutes(app: Api, deps: SuppressionsDeps): void {
  const { suppressions, clock, guard, audit } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]
  const importing = {
    schema: IMPORT,
    onRequest: mayWrite,
    bodyLimit: BODY_LIMIT,
    config: { answer: 'written' },
  } as const

  app.get('/v1/suppressions', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { q, limit = 50, ...filter } = request.query
    const { tenantId } = callerOf(request)
    const page = await suppressions.list(omitUndefined({ tenantId, at: clock(), limit, ...filter, text: q }))
    return { items: page.suppressions.map(toView), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/suppressions', importing, async (request) => {
    const [{ tenantId }, at] = [callerOf(request), clock()]
    const parsed = request.body.items.map((item, index) => parseSuppression(tenantId, item, at, `/items/${index}`))
    const added = await addAll(deps, readAll(parsed))
    await audit(request, { action: 'suppression.imported', target: { kind: 'suppression', id: '*' }, after: { added } })
    return { added }
  })

  app.get('/v1/suppressions/:address', { schema: FIND, onRequest: mayRead }, async (request) =>
    toView(await find(deps, callerOf(request).tenantId, request.params.address)),
  )

  app.put('/v1/suppressions/:address', { schema: PUT, onRequest: mayWrite }, async (request) => {
    const fields = { ...request.body, address: request.params.address }
    const at = clock()
    const [suppression] = readAll([parseSuppression(callerOf(request).tenantId, fields, at)])
    if (suppression === undefined) throw notSuppressed()
    const [replaced] = await suppressions.find(suppression.tenantId, [suppression.address], at)
    await suppressions.add(suppression)
    const snapshots = omitUndefined({ before: replaced && toSnapshot(replaced), after: toSnapshot(suppression) })
    await audit(request, { action: 'suppression.set', target: toTarget(suppression), ...snapshots })
    return toView(suppression)
  })

  app.delete('/v1/suppressions/:address', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const found = await find(deps, callerOf(request).tenantId, request.params.address)
    if (!(await suppressions.remove(found.tenantId, found.address))) throw notSuppressed()
    await audit(request, { action: 'suppression.removed', target: toTarget(found), before: toSnapshot(found) })
    return reply.code(204).send()
  })
}

const notSuppressed = () => refuse('NOT_FOUND', 'This address is not suppressed')

async function find({ suppressions, clock }: SuppressionsDeps, tenantId: TenantId, text: string): Promise<Suppression> {
  const address = parseSuppressed(text)
  const [found] = address === undefined ? [] : await suppressions.find(tenantId, [address], clock())
  if (found === undefined) throw notSuppressed()
  return found
}

/** All or none. */
function readAll(parsed: readonly ParsedSuppression[]): readonly Suppression[] {
  const problems = parsed.flatMap((one) => (one.kind === 'bad' ? one.problems : []))
  if (problems.length > 0) throw refuseFields(problems)
  return parsed.flatMap((one) => (one.kind === 'ok' ? [one.suppression] : []))
}

/** Few enough that none times out waiting for the store. */
const AT_ONCE = 50

/** Returns the number of different addresses. The last entry of an address wins. */
async function addAll({ suppressions }: SuppressionsDeps, items: readonly Suppression[]): Promise<number> {
  const entries = [...new Map<EmailAddress, Suppression>(items.map((entry) => [entry.address, entry])).values()]
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    await Promise.all(entries.slice(from, from + AT_ONCE).map((entry) => suppressions.add(entry)))
  }
  return entries.length
}

/** Unmasked: a masked list would be of no use. */
const toView = (entry: Suppression): Static<typeof SuppressionView> => ({
  address: entry.address,
  reason: entry.reason,
  note: entry.note ?? null,
  message_id: entry.messageId ?? null,
  created_at: toIso(entry.createdAt),
  expires_at: isoOrNull(entry.expiresAt),
})

const toTarget = ({ address }: Suppression) => ({ kind: 'suppression', id: maskAddress(address) })

/** For the audit log. A note may name somebody. */
function toSnapshot(entry: Suppression) {
  const { address, note, ...view } = toView(entry)
  return { address: maskAddress(address), note: hideText(note), ...view }
}

const Address = Type.String({
  description: 'An email address, in upper or lower case.',
  maxLength: 254,
  examples: ['ana@example.com'],
})
const Note = Type.String({
  description: 'A note for your team.',
  minLength: 1,
  maxLength: MAX_NOTE,
  examples: ['by phone'],
})

const Fields = {
  reason: Type.Optional(Type.Enum(PERSONAL_REASONS, { title: 'SettableSuppressionReason', default: 'manual' })),
  note: Type.Optional(Note),
  expires_at: Type.Optional(
    Type.String({ ...Time, description: 'When the suppression ends. Without it, it is permanent.' }),
  ),
}

const SuppressionView = namedObject('Suppression', {
  address: Type.String({ description: 'In lower case.', examples: ['ana@example.com'] }),
  reason: Enums.SuppressionReason(),
  note: nullable(Note),
  message_id: Type.Union([MessageIdText, Type.Null()], {
    description: 'The message that bounced or was complained about.',
  }),
  created_at: Time,
  expires_at: nullable(Time),
})

const tags = ['suppressions']
const params = Type.Object({
  address: Type.String({ title: 'SuppressedAddress', description: 'An email address.', examples: ['ana@example.com'] }),
})

const LIST = {
  operationId: 'listSuppressions',
  tags,
  summary: 'List suppressions',
  description: 'Newest first.',
  querystring: Type.Object(
    {
      reason: Type.Optional(Enums.SuppressionReason()),
      q: Type.Optional(queryText('A prefix of the address or of its domain.', 254)),
      ...PageFields,
      // Longer than usual: it contains an address.
      cursor: Type.Optional(queryText('The `next_cursor` of the previous page.', 300)),
    },
    { additionalProperties: false },
  ),
  response: responses(
    { 200: { description: 'A page of suppressions.', schema: pageOf(SuppressionView) } },
    'VALIDATION_ERROR',
  ),
}

const Item = namedObject('SuppressionItem', { address: Address, ...Fields }, { additionalProperties: false })

const IMPORT = {
  ...audited('suppression.imported'),
  operationId: 'importSuppressions',
  tags,
  summary: 'Import up to 1,000 suppressions',
  description: 'Adds all addresses, or none if one is invalid. Replaces existing entries; safe to retry.',
  body: namedObject(
    'ImportSuppressionsRequest',
    { items: Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS, description: `1 to ${MAX_ITEMS} addresses.` }) },
    { additionalProperties: false },
  ),
  response: responses(
    {
      200: {
        description: 'The addresses are suppressed.',
        schema: namedObject('SuppressionImport', {
          added: Type.Integer({ description: 'The number of different addresses.', examples: [1] }),
        }),
      },
    },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
  ),
}

const FIND = {
  operationId: 'getSuppression',
  tags,
  summary: 'Get a suppression',
  description: 'Expired suppressions are not found.',
  params,
  response: responses({ 200: { description: 'The suppression.', schema: SuppressionView } }, 'NOT_FOUND'),
}

const PUT = {
  ...audited('suppression.set'),
  operationId: 'putSuppression',
  tags,
  summary: 'Suppress an address',
  description: 'Replaces an existing entry. The body may be `{}`. Emails to the address that are not sent yet fail.',
  params,
  body: namedObject('PutSuppressionRequest', Fields, {
    additionalProperties: false,
    examples: [{ note: 'by phone' }],
  }),
  response: responses({ 200: { description: 'The suppression.', schema: SuppressionView } }, 'VALIDATION_ERROR'),
}

const REMOVE = {
  ...audited('suppression.removed'),
  operationId: 'removeSuppression',
  tags,
  summary: 'Delete a suppression',
  description: 'The address can get email again. Another hard bounce or complaint suppresses it again.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND') },
}
