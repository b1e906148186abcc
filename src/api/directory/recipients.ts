/** The directory of recipients that messages can refer to by id. */
import { type Static, Type } from 'typebox'
import {
  type DirectoryEntry,
  type Entry,
  parseRecipientId,
  type RecipientId,
} from '../../domain/directory/recipient.ts'
import type { TenantId } from '../../domain/ids.ts'
import { parseEntry } from '../../domain/requests/directory-request.ts'
import { type SetupQuotaDeps, setupQuotaExceeded } from '../../flows/access/quotas.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { Ids } from '../../ports/world.ts'
import { type Audit, audited } from '../access/audit.ts'
import { hideText, maskAddress } from '../access/snapshots.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { NO_CONTENT, namedObject, nullable, PageFields, pageOf, queryText, responses, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { ExternalId, Locale } from './directory-schemas.ts'

export type RecipientsDeps = SetupQuotaDeps &
  Readonly<{ recipients: Recipients; clock: Clock; ids: Ids; guard: Guard; audit: Audit }>

export function recipientRoutes(app: Api, deps: RecipientsDeps): void {
  const { recipients, clock, ids, guard, audit } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]

  app.get('/v1/recipients', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { q, cursor, limit = 50 } = request.query
    const { tenantId } = callerOf(request)
    const page = await recipients.search(omitUndefined({ tenantId, limit, text: q, cursor }))
    return { items: page.recipients.map(toView), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/recipients', { schema: ADD, onRequest: mayWrite }, async (request, reply) => {
    const at = clock()
    const names = { id: ids.recipientId(at), tenantId: callerOf(request).tenantId, createdAt: at, updatedAt: at }
    const entry: DirectoryEntry = { ...readEntry(request.body), ...names }
    const outcome = await recipients.add(entry, deps.quotasOf(entry.tenantId).recipients)
    if (outcome === 'taken') throw externalIdTaken()
    if (outcome === 'full') throw await setupQuotaExceeded(deps, entry.tenantId, 'recipients')
    await audit(request, { action: 'recipient.created', target: toTarget(entry), after: toSnapshot(entry) })
    reply.code(201)
    return toView(entry)
  })

  app.get('/v1/recipients/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toView(await find(deps, callerOf(request).tenantId, request.params.id)),
  )

  app.patch('/v1/recipients/:id', { schema: CHANGE, onRequest: mayWrite }, async (request) => {
    const found = await find(deps, callerOf(request).tenantId, request.params.id)
    const { id, tenantId, createdAt, ...entry } = found
    const changed = { ...readEntry(request.body, entry), id, tenantId, createdAt, updatedAt: clock() }
    const outcome = await recipients.change(changed)
    if (outcome === 'taken') throw externalIdTaken()
    if (outcome === 'absent') throw notFound('recipient', id)
    const [before, after] = [toSnapshot(found), toSnapshot(changed)]
    await audit(request, { action: 'recipient.changed', target: toTarget(changed), before, after })
    return toView(changed)
  })

  app.delete('/v1/recipients/:id', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    const found = await find(deps, callerOf(request).tenantId, request.params.id)
    if (!(await recipients.remove(found.tenantId, found.id))) throw notFound('recipient', found.id)
    await audit(request, { action: 'recipient.removed', target: toTarget(found), before: toSnapshot(found) })
    return reply.code(204).send()
  })
}

const externalIdTaken = () => refuse('CONFLICT', 'Another recipient already has this external_id')

function readId(text: string): RecipientId {
  const id = parseRecipientId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'No recipient with this id: recipient ids are UUIDs')
  return id
}

async function find({ recipients }: RecipientsDeps, tenantId: TenantId, text: string): Promise<DirectoryEntry> {
  const id = readId(text)
  const entry = await recipients.find(tenantId, { id })
  if (entry === undefined) throw notFound('recipient', id)
  return entry
}

function readEntry(fields: Static<typeof RecipientUpdate>, entry?: Entry): Entry {
  const parsed = parseEntry(fields, entry)
  if (parsed.kind === 'bad') throw refuseFields(parsed.problems)
  return parsed.entry
}

/** Unmasked: a masked directory would be of no use. */
const toView = (entry: DirectoryEntry): Static<typeof Recipient> => ({
  id: entry.id,
  external_id: entry.externalId ?? null,
  name: entry.name ?? null,
  phone: entry.phone ?? null,
  email: entry.email ?? null,
  locale: entry.locale ?? null,
  created_at: toIso(entry.createdAt),
  updated_at: toIso(entry.updatedAt),
})

const toTarget = ({ id }: DirectoryEntry) => ({ kind: 'recipient', id })

/** For the audit log. */
function toSnapshot(entry: DirectoryEntry) {
  const { name, phone, email, ...view } = toView(entry)
  const masked = { phone: phone && maskAddress(phone), email: email && maskAddress(email) }
  return { ...view, name: hideText(name), ...masked }
}

const Fields = {
  external_id: ExternalId,
  name: Type.String({ description: '1 to 200 characters.', minLength: 1, maxLength: 200, examples: ['Ana Souza'] }),
  phone: Type.String({ description: 'In E.164 format.', maxLength: 16, examples: ['+5511987654321'] }),
  email: Type.String({ description: 'An email address.', maxLength: 254, examples: ['ana@example.com'] }),
  locale: Type.String({ ...Locale, description: 'A BCP 47 language tag: the locale of templates for this recipient.' }),
}
const RECIPIENT_ID = '01945b3a-8c00-7a30-9d57-0b6f0a3c2e11'
const { external_id, name, phone, email, locale } = Fields

const RecipientCreate = Type.Partial(Type.Object(Fields), {
  title: 'CreateRecipientRequest',
  additionalProperties: false,
  examples: [{ external_id: 'user-42', name: 'Ana Souza', phone: '+5511987654321', locale: 'pt-BR' }],
})
const RecipientUpdate = Type.Partial(
  Type.Object({
    external_id: nullable(external_id),
    name: nullable(name),
    phone: nullable(phone),
    email: nullable(email),
    locale: nullable(locale),
  }),
  {
    title: 'UpdateRecipientRequest',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ phone: '+5511912345678', name: null }],
  },
)

const Recipient = namedObject('Recipient', {
  id: Type.String({ format: 'uuid', examples: [RECIPIENT_ID] }),
  external_id: nullable(external_id),
  name: nullable(name),
  phone: nullable(phone),
  email: nullable(email),
  locale: nullable(locale),
  created_at: Time,
  updated_at: Time,
})

const tags = ['recipients']
const params = Type.Object({
  id: Type.String({ title: 'RecipientId', description: 'The `id` of a recipient.', examples: [RECIPIENT_ID] }),
})

const LIST = {
  operationId: 'listRecipients',
  tags,
  summary: 'List recipients',
  description: 'Newest first.',
  querystring: Type.Object(
    {
      q: Type.Optional(
        queryText('Prefixes of words in the name, external id, phone number or email address. All must match.'),
      ),
      ...PageFields,
    },
    { additionalProperties: false },
  ),
  response: responses({ 200: { description: 'A page of recipients.', schema: pageOf(Recipient) } }, 'VALIDATION_ERROR'),
}

const ADD = {
  ...audited('recipient.created'),
  operationId: 'addRecipient',
  tags,
  summary: 'Create a recipient',
  description: 'Messages can then refer to it by `recipient_id` or `recipient_external_id`.',
  body: RecipientCreate,
  response: responses(
    { 201: { description: 'The recipient.', schema: Recipient } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ),
}

const FIND = {
  operationId: 'getRecipient',
  tags,
  summary: 'Get a recipient',
  description: 'Not masked.',
  params,
  response: responses({ 200: { description: 'The recipient.', schema: Recipient } }, 'NOT_FOUND'),
}

const CHANGE = {
  ...audited('recipient.changed'),
  operationId: 'changeRecipient',
  tags,
  summary: 'Update a recipient',
  description: 'Changes the given fields; null removes a field. Messages accepted before keep their address.',
  params,
  body: RecipientUpdate,
  response: responses(
    { 200: { description: 'The recipient.', schema: Recipient } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  ...audited('recipient.removed'),
  operationId: 'removeRecipient',
  tags,
  summary: 'Delete a recipient',
  description:
    'Deletes name, addresses and locale. Messages that refer to the recipient and are not sent yet fail with `RECIPIENT_NOT_FOUND`. The external id can be reused.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND') },
}
