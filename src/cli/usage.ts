/** `pombo usage`: what accounts have sent, as a table, as JSON or as CSV. */
import { toCsvLine } from '../lib/csv.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import type { Json } from './json.ts'
import { toPlain, toTable } from './render.ts'

/** Enough for a year of many accounts. */
const MOST = 10_000_000

export const usage = defineCommand({
  name: 'usage',
  summary: 'Show how many messages and segments accounts have sent.',
  options: {
    from: { value: 'DAY', about: 'first day, such as 2030-01-01 (first of the month)' },
    to: { value: 'DAY', about: 'last day (today)' },
    by: { value: 'NAMES', about: 'day, account, channel, country, provider (channel,country,provider)' },
    account: { value: 'ACCOUNT', about: 'this account, or * for all; needs the scope admin (your own)' },
    tenant: { value: 'TENANT', about: 'this tenant; needs the scope operator' },
    csv: { about: 'print CSV' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values) {
    const { from, to, by, account, tenant, csv = false, json = false } = values
    if (csv && json) throw usageError('--csv and --json exclude each other')
    const query = { from, to, group_by: by, account_id: account }
    const headers = omitUndefined({ 'pombo-tenant': tenant })
    const pages = readPages(toClient(world, values), '/v1/usage', query, MOST, { headers })
    if (json) {
      for await (const record of pages) world.out.write(`${JSON.stringify(record)}\n`)
      return EXIT.ok
    }
    const records = await Array.fromAsync(pages)
    const rows = [Object.keys(records[0] ?? {}), ...records.map(toCells)]
    if (csv) world.out.write(rows.map(toCsvLine).join(''))
    else world.out.write(records.length === 0 ? 'no usage\n' : toTable(rows.map((row) => row.map(toShown))))
    return EXIT.ok
  },
})

const toCells = (record: Json): readonly string[] => Object.values(record).map((value) => `${value ?? ''}`)

const toShown = (cell: string): string => (cell === '' ? '-' : toPlain(cell))
