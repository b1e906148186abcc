/** The directory: whom messages can name instead of an address. */
import { type Static, Type } from 'typebox'
import {
  type DirectoryEntry,
  type Entry,
  parseRecipientId,
  type RecipientId,
} from '../../domain/directory/recipient.ts'
import type { TenantId } from '../../domain/ids.ts'
import { parseEntry } from '../../domain/requests/directory-request.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { toIso } from '../../lib/time.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { Ids } from '../../ports/world.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, queryText, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { PageFields } from '../messages/message-search.ts'
import { ExternalId, Locale } from './directory-schemas.ts'

export type RecipientsDeps = Readonly<{ recipients: Recipients; clock: Clock; ids: Ids; guard: Guard }>

export function recipientRoutes(app: Api, deps: RecipientsDeps): void {
  const { recipients, clock, ids, guard } = deps
  const [mayRead, mayWrite] = [guard('messages:read'), guard('messages:write')]

  app.get('/v1/recipients', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { q, cursor, limit = 50 } = request.query
    const where = { ...(q === undefined ? {} : { text: q }), ...(cursor === undefined ? {} : { cursor }) }
    const page = await recipients.search({ tenantId: callerOf(request).tenantId, limit, ...where })
    return { items: page.recipients.map(toShown), next_cursor: page.nextCursor ?? null }
  })

  app.post('/v1/recipients', { schema: ADD, onRequest: mayWrite }, async (request, reply) => {
    const at = clock()
    const names = { id: ids.recipientId(at), tenantId: callerOf(request).tenantId, createdAt: at, updatedAt: at }
    const entry: DirectoryEntry = { ...readEntry(request.body), ...names }
    if ((await recipients.add(entry)) === 'taken') throw taken()
    reply.code(201)
    return toShown(entry)
  })

  app.get('/v1/recipients/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toShown(await find(deps, callerOf(request).tenantId, request.params.id)),
  )

  app.patch('/v1/recipients/:id', { schema: CHANGE, onRequest: mayWrite }, async (request) => {
    const {
      id,
      tenantId,
      createdAt,
      updatedAt: _,
      ...known
    } = await find(deps, callerOf(request).tenantId, request.params.id)
    const changed = { ...readEntry(request.body, known), id, tenantId, createdAt, updatedAt: clock() }
    const outcome = await recipients.change(changed)
    if (outcome === 'taken') throw taken()
    if (outcome === 'absent') throw none()
    return toShown(changed)
  })

  app.delete('/v1/recipients/:id', { schema: REMOVE, onRequest: mayWrite }, async (request, reply) => {
    if (!(await recipients.remove(callerOf(request).tenantId, readId(request.params.id)))) throw none()
    return reply.code(204).send()
  })
}

const none = () => refuse('NOT_FOUND', 'no such recipient')
const taken = () => refuse('CONFLICT', 'another recipient has this external_id')

function readId(text: string): RecipientId {
  const id = parseRecipientId(text)
  if (id === undefined) throw none()
  return id
}

async function find({ recipients }: RecipientsDeps, tenantId: TenantId, text: string): Promise<DirectoryEntry> {
  const entry = await recipients.find(tenantId, { id: readId(text) })
  if (entry === undefined) throw none()
  return entry
}

function readEntry(fields: Static<typeof Changes>, known?: Entry): Entry {
  const parsed = parseEntry(fields, known)
  if (parsed.kind === 'bad') throw refuseFields(parsed.problems)
  return parsed.entry
}

/** Whoever may read the directory may read it in full: masked, it would be of no use. */
const toShown = (entry: DirectoryEntry): Static<typeof Recipient> => ({
  id: entry.id,
  external_id: entry.externalId ?? null,
  name: entry.name ?? null,
  phone: entry.phone ?? null,
  email: entry.email ?? null,
  locale: entry.locale ?? null,
  created_at: toIso(entry.createdAt),
  updated_at: toIso(entry.updatedAt),
})

const Fields = {
  external_id: ExternalId,
  name: Type.String({ description: '1 to 200 characters.', minLength: 1, maxLength: 200, examples: ['Ana Souza'] }),
  phone: Type.String({ description: 'In E.164.', maxLength: 16, examples: ['+5511987654321'] }),
  email: Type.String({ description: 'An email address.', maxLength: 254, examples: ['ana@example.com'] }),
  locale: Type.String({ ...Locale, description: 'A BCP 47 tag: which of the texts of a template they get.' }),
}
const { external_id, name, phone, email, locale } = Fields

const Additions = Type.Partial(Type.Object(Fields), { additionalProperties: false })
const Changes = Type.Partial(
  Type.Object({
    external_id: nullable(external_id),
    name: nullable(name),
    phone: nullable(phone),
    email: nullable(email),
    locale: nullable(locale),
  }),
  { additionalProperties: false, minProperties: 1, examples: [{ phone: '+5511912345678', name: null }] },
)

const Recipient = Type.Object({
  id: Type.String({ format: 'uuid', examples: ['01945b3a-8c00-7a30-9d57-0b6f0a3c2e11'] }),
  external_id: nullable(external_id),
  name: nullable(name),
  phone: nullable(phone),
  email: nullable(email),
  locale: nullable(locale),
  created_at: Time,
  updated_at: Time,
})

const tags = ['recipients']
const params = Type.Object({ id: Type.String({ description: 'The `id` of a recipient.' }) })

const LIST = {
  operationId: 'listRecipients',
  tags,
  summary: 'Find recipients',
  description: 'Newest first.',
  querystring: Type.Object(
    {
      q: Type.Optional(
        queryText('Beginnings of words of name, external id, phone number or email address; all must occur.'),
      ),
      ...PageFields,
    },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'A page of recipients.',
        schema: Type.Object({
          items: Type.Array(Recipient),
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

const ADD = {
  operationId: 'addRecipient',
  tags,
  summary: 'Add a recipient',
  description: 'Messages can then name them by `recipient_id` or `recipient_external_id`.',
  body: Additions,
  response: answers({ 201: { description: 'Added.', schema: Recipient } }, 'VALIDATION_ERROR', 'CONFLICT'),
}

const FIND = {
  operationId: 'getRecipient',
  tags,
  summary: 'One recipient',
  description: 'As the directory knows them.',
  params,
  response: answers({ 200: { description: 'The recipient.', schema: Recipient } }, 'NOT_FOUND'),
}

const CHANGE = {
  operationId: 'changeRecipient',
  tags,
  summary: 'Change a recipient',
  description: 'Changes what is named; null takes a field away. Messages that were accepted go where they were to go.',
  params,
  body: Changes,
  response: answers(
    { 200: { description: 'Changed.', schema: Recipient } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  operationId: 'removeRecipient',
  tags,
  summary: 'Remove a recipient',
  description:
    'Forgets name, addresses and locale. Messages that name them and were not sent yet fail as `RECIPIENT_NOT_FOUND`. The external id may be used again.',
  params,
  response: { 204: { description: 'It is gone.', type: 'null' }, ...answers({}, 'NOT_FOUND') },
}
