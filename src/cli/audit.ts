/** `pombo audit`: lists the audit log, or exports it as a whole. */
import { type Client, type Query, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT, unavailable, usageError } from './exit.ts'
import { type Json, textIn, toJson } from './json.ts'
import { paint, toDayTime, toPlain, toTable } from './render.ts'
import type { Output, World } from './world.ts'

const FILTERS = {
  action: { value: 'ACTION', about: 'such as template.changed' },
  actor: { value: 'ID', about: 'id of a user or an API key, or the subject of a token' },
  target: { value: 'ID', about: 'id of what was changed or read' },
  tenant: { value: 'TENANT', about: 'only this tenant (an operator sees all by default)' },
  from: { value: 'TIME', about: 'recorded at this time or later, such as 2030-01-31T12:00:00Z' },
  to: { value: 'TIME', about: 'recorded before this time' },
} as const

const FORMATS = ['ndjson', 'csv']
const USAGE = 'usage: pombo audit list, or pombo audit export'

export const audit = defineCommand({
  name: 'audit',
  summary: 'List or export the audit log: who changed what and read which content.',
  words: { usage: 'list | export', least: 1, most: 1 },
  options: {
    ...FILTERS,
    format: { value: 'FORMAT', about: `export: ${FORMATS.join(' or ')} (ndjson)` },
    limit: { value: 'NUMBER', about: 'list: maximum number of entries (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [verb]) {
    const limit = whole('limit', values.limit, 20, 100_000)
    const { format = 'ndjson' } = values
    if (!FORMATS.includes(format)) throw usageError(`--format must be ${FORMATS.join(' or ')}`)
    const client = toClient(world, values)
    const query = toQuery(values)
    if (verb === 'list') return await list(world, client, { query, limit, json: values.json === true })
    if (verb !== 'export') throw usageError(USAGE)
    return await exportAll(world, client, { ...query, format })
  },
})

const toQuery = ({ tenant, action, actor, target, from, to }: Values<typeof FILTERS>): Query => ({
  tenant_id: tenant,
  action,
  actor,
  target,
  from,
  to,
})

type ListOptions = Readonly<{ query: Query; limit: number; json: boolean }>

async function list(world: World, client: Client, { query, limit, json }: ListOptions): Promise<number> {
  const pages = readPages(client, '/v1/audit', query, limit)
  if (json) {
    for await (const entry of pages) world.out.write(`${JSON.stringify(entry)}\n`)
    return EXIT.ok
  }
  const entries = await Array.fromAsync(pages)
  const rows = entries.map((entry) => toRow(world.out, entry))
  world.out.write(rows.length === 0 ? 'no entries\n' : toTable([HEAD, ...rows]))
  return EXIT.ok
}

const HEAD = ['at', 'tenant', 'actor', 'action', 'target', 'address']

function toRow(out: Output, entry: Json): readonly string[] {
  const [actor, target] = [toJson(entry['actor']), toJson(entry['target'])]
  const text = (json: Json, key: string): string => toPlain(textIn(json, key) ?? '')
  const actorParts = [
    text(actor, 'kind'),
    text(actor, 'name') || text(actor, 'id'),
    toForeign(text(actor, 'tenant_id')),
  ]
  return [
    toDayTime(text(entry, 'at')),
    text(entry, 'tenant_id') || '-',
    actorParts.filter((part) => part !== '').join(' '),
    text(entry, 'action'),
    `${text(target, 'kind')} ${text(target, 'id')}`,
    paint(out, 'gray', text(entry, 'address')),
  ]
}

/** Of an actor whose tenant is not that of the entry. */
const toForeign = (tenant: string): string => (tenant === '' ? '' : `of ${tenant}`)

/** As it arrives, so that any number of entries needs little memory. */
async function exportAll(world: World, client: Client, query: Query): Promise<number> {
  const { body } = await client.open('GET', '/v1/audit/export', { query })
  const decoder = new TextDecoder()
  try {
    for await (const bytes of body ?? []) world.out.write(decoder.decode(bytes, { stream: true }))
  } catch (error) {
    throw unavailable('the connection was lost: the export is incomplete', error)
  }
  world.out.write(decoder.decode())
  return EXIT.ok
}
