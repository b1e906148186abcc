/** `pombo keys`: creates, lists, rotates and revokes API keys. Only a new key goes to standard output, for scripts. */
import { SCOPES, unknownScopes } from '../domain/access/scope.ts'
import { parseNetwork } from '../lib/networks.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Call, type Client, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, needed, type Values, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { type Json, textIn, toJson } from './json.ts'
import { toDayTime, toPlain, toTable } from './render.ts'
import type { World } from './world.ts'

const PATH = '/v1/api-keys'
const MAX_DAYS = 3_650
const MAX_OVERLAP_SECONDS = 2_592_000
const USAGE = 'list | create | show ID | rotate ID | revoke ID'

const OPTIONS = {
  name: { value: 'NAME', about: 'create: what the key is for' },
  scope: { value: 'SCOPES', about: `create: scopes, separated by commas: ${SCOPES.join(' ')}` },
  test: { about: 'create: a test key, whose messages only reach the simulator' },
  account: { value: 'NAME', about: 'create: account of the tenant (that of the token)' },
  network: { value: 'NETWORKS', about: 'create: networks that may use the key, separated by commas (all)' },
  days: { value: 'NUMBER', about: 'create: validity in days (forever)' },
  'overlap-seconds': { value: 'NUMBER', about: 'rotate: how long the current key stays valid (86400)' },
  tenant: { value: 'NAME', about: 'act for this tenant (requires scope operator)' },
  limit: { value: 'NUMBER', about: 'list: maximum number to list (100)' },
  quiet: { about: 'print only the key' },
  ...JSON_OPTION,
  ...GATEWAY_OPTIONS,
} as const

type Given = Values<typeof OPTIONS>
type Run = (world: World, client: Client, given: Given, id: string) => Promise<number>

/** The verbs, and whether each needs the id of a key. */
const VERBS: Readonly<Record<string, Readonly<{ run: Run; needsId: boolean }>>> = {
  list: { run: list, needsId: false },
  create: { run: create, needsId: false },
  show: { run: show, needsId: true },
  rotate: { run: rotate, needsId: true },
  revoke: { run: revoke, needsId: true },
}

export const keys = defineCommand({
  name: 'keys',
  summary: 'Create, list, rotate or revoke API keys.',
  words: { usage: USAGE, least: 1, most: 2 },
  options: OPTIONS,
  async run(world, values, [verb = '', word]) {
    const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (known === undefined || known.needsId !== (word !== undefined)) throw usageError(`usage: pombo keys ${USAGE}`)
    const id = known.needsId ? readId(word) : ''
    return await known.run(world, toClient(world, values), values, id)
  },
})

/** What `pombo keys list` prints, or a whole key, of which nothing but the id is sent. */
const ID = /^(?:pk_(?:live|test)_)?([0-9a-z]{12})(?:_.*)?$/

function readId(text = ''): string {
  const [, id] = ID.exec(text) ?? []
  if (id === undefined) throw usageError('ID must be the id of an API key, as `pombo keys list` prints it')
  return id
}

const inTenant = ({ tenant }: Given): Call => (tenant === undefined ? {} : { headers: { 'pombo-tenant': tenant } })

async function list(world: World, client: Client, given: Given): Promise<number> {
  const limit = whole('limit', given.limit, 100, 100_000)
  const found = await Array.fromAsync(readPages(client, PATH, {}, limit, inTenant(given)))
  if (given.json === true) for (const key of found) world.out.write(`${JSON.stringify(key)}\n`)
  else if (found.length === 0) world.out.write('no API keys\n')
  else world.out.write(toTable([HEAD, ...found.map(toRow)]))
  return EXIT.ok
}

async function create(world: World, client: Client, given: Given): Promise<number> {
  const body = toBody(given)
  const created = await client.call('POST', PATH, { ...inTenant(given), body })
  const note = `API key ${textIn(created, 'id')} created; it is not shown again`
  return printKey(world, given, created, note)
}

async function show(world: World, client: Client, given: Given, id: string): Promise<number> {
  const key = await client.call('GET', `${PATH}/${id}`, inTenant(given))
  world.out.write(given.json === true ? `${JSON.stringify(key)}\n` : toTable(LINES.map((name) => toLine(key, name))))
  return EXIT.ok
}

async function rotate(world: World, client: Client, given: Given, id: string): Promise<number> {
  const body = omitUndefined({ overlap_seconds: readOverlap(given['overlap-seconds']) })
  const rotated = await client.call('POST', `${PATH}/${id}/rotate`, { ...inTenant(given), body })
  const until = toDayTime(textIn(toJson(rotated['previous']), 'expires_at') ?? '')
  const note = `API key ${textIn(rotated, 'id')} replaces ${id}, which expires at ${until}; it is not shown again`
  return printKey(world, given, rotated, note)
}

async function revoke(world: World, client: Client, given: Given, id: string): Promise<number> {
  await client.call('DELETE', `${PATH}/${id}`, inTenant(given))
  world.out.write(given.json === true ? `${JSON.stringify({ id, status: 'revoked' })}\n` : `${id} revoked\n`)
  return EXIT.ok
}

function printKey(world: World, { json, quiet }: Given, answer: Json, note: string): number {
  const key = textIn(answer, 'key')
  if (key === undefined) throw failure('the gateway answered without a key')
  world.out.write(json === true ? `${JSON.stringify(answer)}\n` : `${key}\n`)
  if (json === true || quiet === true) return EXIT.ok
  const smppPassword = textIn(answer, 'smpp_password')
  world.err.write(`${note}\n`)
  if (smppPassword !== undefined) world.err.write(`SMPP password for short fields: ${smppPassword}\n`)
  return EXIT.ok
}

function toBody(given: Given): Json {
  const { account, network } = given
  return omitUndefined({
    name: needed('name', given.name),
    scopes: readScopes(needed('scope', given.scope)),
    mode: given.test === true ? 'test' : undefined,
    account_id: account,
    networks: network === undefined ? undefined : readNetworks(network),
    expires_in_days: given.days === undefined ? undefined : whole('days', given.days, 0, MAX_DAYS),
  })
}

const wordsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '')

function readScopes(text: string): readonly string[] {
  const scopes = wordsIn(text)
  const unknown = unknownScopes(scopes)
  if (scopes.length === 0) throw usageError('--scope needs at least one scope')
  if (unknown.length > 0) throw usageError(`--scope: unknown ${toPlain(unknown.join(', '))}; use ${SCOPES.join(', ')}`)
  return scopes
}

function readNetworks(text: string): readonly string[] {
  const networks = wordsIn(text)
  if (networks.length > 0 && networks.every((network) => parseNetwork(network) !== undefined)) return networks
  throw usageError('--network must be networks such as 203.0.113.0/24, separated by commas')
}

/** Unlike other numbers it may be 0. */
function readOverlap(text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return text === undefined ? undefined : 0
  return whole('overlap-seconds', text, 0, MAX_OVERLAP_SECONDS)
}

const HEAD = ['id', 'name', 'mode', 'scopes', 'status', 'last used', 'expires']
const COLUMNS = ['id', 'name', 'mode', 'scopes', 'status', 'last_used_at', 'expires_at']

const toRow = (key: Json): readonly string[] => COLUMNS.map((field) => toCell(key, field))

const LINES = [
  ...['id', 'prefix', 'name', 'mode', 'scopes', 'account_id', 'twilio_account_sid', 'networks', 'status'],
  ...['created_at', 'expires_at', 'revoked_at', 'last_used_at'],
]

const toLine = (key: Json, field: string): readonly string[] => [field, toCell(key, field)]

/** A dash for what is not set. */
function toCell(key: Json, field: string): string {
  const value = key[field]
  if (Array.isArray(value)) return toPlain(value.join(' '))
  const text = textIn(key, field)
  if (text === undefined) return '–'
  return field.endsWith('_at') ? toDayTime(text) : toPlain(text)
}
