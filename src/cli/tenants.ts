/** `pombo tenants`: what operators decide about tenants. Needs a token with the scope operator. */
import { QUOTA_FIELDS } from '../domain/access/tenant-fields.ts'
import { parseTenantId } from '../domain/ids.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Client, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { type Json, numberIn, textIn, toJson } from './json.ts'
import { paint, toDayTime, toPlain, toTable } from './render.ts'
import type { Output, World } from './world.ts'

const PATH = '/v1/tenants'
const USAGE = 'list | show ID | create ID | change ID | suspend ID | activate ID'
/** What can be set, and thus removed. */
const FIELDS = ['name', 'providers', 'senders', 'quotas', 'retention_days', 'default_locale'] as const
const QUOTAS: readonly string[] = Object.values(QUOTA_FIELDS)

const OPTIONS = {
  name: { value: 'NAME', about: 'create, change: a name for people' },
  providers: { value: 'NAMES', about: 'create, change: the only providers it may use, separated by commas' },
  senders: { value: 'SENDERS', about: 'create, change: the only senders it may have, separated by commas' },
  quotas: {
    value: 'QUOTAS',
    about: `create, change: quotas such as routes=10,stored_bytes=1000000: ${QUOTAS.join(' ')}`,
  },
  'retention-days': { value: 'NUMBER', about: 'create, change: how many days its messages are kept' },
  locale: { value: 'LOCALE', about: 'create, change: its default locale' },
  unset: { value: 'FIELDS', about: `change: fields to remove, separated by commas: ${FIELDS.join(' ')}` },
  limit: { value: 'NUMBER', about: 'list: maximum number to list (100)' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

type Given = Values<typeof OPTIONS>
type Run = (world: World, client: Client, given: Given, id: string) => Promise<number>

/** The verbs, and whether each needs the id of a tenant. */
const VERBS: Readonly<Record<string, Readonly<{ run: Run; needsId: boolean }>>> = {
  list: { run: list, needsId: false },
  show: { run: show, needsId: true },
  create: { run: create, needsId: true },
  change: { run: change, needsId: true },
  suspend: { run: setState('suspended'), needsId: true },
  activate: { run: setState('active'), needsId: true },
}

export const tenants = defineCommand({
  name: 'tenants',
  summary: 'List, create, change, suspend or activate tenants.',
  words: { usage: USAGE, least: 1, most: 2 },
  options: OPTIONS,
  async run(world, values, [verb = '', word]) {
    const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (known === undefined || known.needsId !== (word !== undefined)) throw usageError(`usage: pombo tenants ${USAGE}`)
    const id = known.needsId ? readId(word) : ''
    return await known.run(world, toClient(world, values), values, id)
  },
})

function readId(text = ''): string {
  const id = parseTenantId(text)
  if (id === undefined) throw usageError('ID must be the id of a tenant: at most 64 letters, digits, - or _')
  return id
}

async function list(world: World, client: Client, given: Given): Promise<number> {
  const limit = whole('limit', given.limit, 100, 100_000)
  const found = await Array.fromAsync(readPages(client, PATH, {}, limit))
  if (given.json === true) for (const tenant of found) world.out.write(`${JSON.stringify(tenant)}\n`)
  else if (found.length === 0) world.out.write('no tenants\n')
  else world.out.write(toTable([HEAD, ...found.map((tenant) => toRow(world.out, tenant))]))
  return EXIT.ok
}

async function show(world: World, client: Client, given: Given, id: string): Promise<number> {
  return print(world, given, await client.call('GET', `${PATH}/${id}`))
}

async function create(world: World, client: Client, given: Given, id: string): Promise<number> {
  if (given.unset !== undefined) throw usageError('--unset is for `pombo tenants change`')
  return print(world, given, await client.call('POST', PATH, { body: { ...toBody(given), id } }))
}

async function change(world: World, client: Client, given: Given, id: string): Promise<number> {
  const body = { ...toBody(given), ...toRemoved(given.unset) }
  if (Object.keys(body).length === 0) throw usageError('nothing to change: set a field, or name one with --unset')
  return print(world, given, await client.call('PATCH', `${PATH}/${id}`, { body }))
}

function setState(state: 'active' | 'suspended'): Run {
  return async (world, client, given, id) => {
    const changed = await client.call('PATCH', `${PATH}/${id}`, { body: { state } })
    world.out.write(given.json === true ? `${JSON.stringify(changed)}\n` : `${id} is ${state}\n`)
    return EXIT.ok
  }
}

function print(world: World, { json }: Given, tenant: Json): number {
  world.out.write(
    json === true ? `${JSON.stringify(tenant)}\n` : toTable(LINES.map((name) => [name, toCell(tenant, name)])),
  )
  return EXIT.ok
}

function toBody(given: Given): Json {
  const days = given['retention-days']
  return omitUndefined({
    name: given.name,
    providers: given.providers === undefined ? undefined : wordsIn(given.providers),
    senders: given.senders === undefined ? undefined : wordsIn(given.senders),
    quotas: given.quotas === undefined ? undefined : readQuotas(given.quotas),
    retention_days: days === undefined ? undefined : whole('retention-days', days, 0, 36_500),
    default_locale: given.locale,
  })
}

/** A sender id may contain spaces. */
const wordsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

function readQuotas(text: string): Json {
  const pairs = wordsIn(text).map((word) => {
    const [, name = '', count = ''] = /^(\w+)=(\d{1,15})$/.exec(word) ?? []
    if (QUOTAS.includes(name)) return [name, Number(count)] as const
    throw usageError(`--quotas must be quotas such as routes=10, separated by commas: ${QUOTAS.join(', ')}`)
  })
  return Object.fromEntries(pairs)
}

function toRemoved(text = ''): Json {
  const names = wordsIn(text)
  const unknown = names.filter((name) => !FIELDS.some((field) => field === name))
  if (unknown.length > 0) throw usageError(`--unset: unknown ${toPlain(unknown.join(', '))}; use ${FIELDS.join(', ')}`)
  return Object.fromEntries(names.map((name) => [name, null]))
}

const HEAD = ['id', 'state', 'name', 'source', 'providers', 'retention', 'locale']

function toRow(out: Output, tenant: Json): readonly string[] {
  const state = toCell(tenant, 'state')
  return [
    toCell(tenant, 'id'),
    state === 'suspended' ? paint(out, 'red', state) : state,
    ...['name', 'source', 'providers', 'retention_days', 'default_locale'].map((name) => toCell(tenant, name)),
  ]
}

const LINES = [
  ...['id', 'state', 'name', 'source', 'providers', 'senders', 'quotas'],
  ...['retention_days', 'default_locale', 'created_at', 'updated_at'],
]

/** A dash for what is not set. */
function toCell(tenant: Json, field: string): string {
  const value = tenant[field]
  if (Array.isArray(value)) return toPlain(value.join(', '))
  if (typeof value === 'object' && value !== null) {
    return toPlain(
      Object.entries(toJson(value))
        .map((pair) => pair.join('='))
        .join(', '),
    )
  }
  const text = textIn(tenant, field) ?? numberIn(tenant, field)?.toString()
  if (text === undefined) return '–'
  return field.endsWith('_at') ? toDayTime(text) : toPlain(text)
}
