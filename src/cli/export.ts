/** `pombo export`: messages and their events for a warehouse, a compressed file per day and table. */
import { type Day, dayOf, parseDay, toIsoDay } from '../domain/message/usage.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, needed } from './command.ts'
import { EXIT, unavailable, usageError } from './exit.ts'
import { DayFiles, isExported } from './export-files.ts'
import { type Json, listIn, parseJson, toJson } from './json.ts'

export const exportMessages = defineCommand({
  name: 'export',
  summary: 'Export messages and their events as files, one day after the other.',
  options: {
    out: { value: 'FOLDER', about: 'where to write; days that are there already are left out' },
    from: { value: 'DAY', about: 'first day, in UTC (the same as --to)' },
    to: { value: 'DAY', about: 'last day, in UTC: it must be over (yesterday)' },
    'with-content': { about: 'include texts and recipients; needs the scope content:read, and is recorded' },
    again: { about: 'replace days that were exported before' },
    tenant: { value: 'TENANT', about: 'this tenant; needs the scope operator' },
    ...GATEWAY_OPTIONS,
  },
  async run(world, values) {
    const folder = needed('out', values.out)
    const today = dayOf(world.clock())
    const to = values.to === undefined ? ((today - 1) as Day) : readDay('to', values.to)
    const from = values.from === undefined ? to : readDay('from', values.from)
    if (to >= today) throw usageError('--to must be a day that is over')
    if (from > to) throw usageError('--from must not be after --to')
    const client = toClient(world, values)
    const headers = omitUndefined({ 'pombo-tenant': values.tenant })
    const withContent = values['with-content'] === true ? 'true' : undefined
    for (let day = from; day <= to; day = (day + 1) as Day) {
      const name = toIsoDay(day)
      if (values.again !== true && isExported(folder, name)) {
        world.out.write(`${name}: exported before\n`)
        continue
      }
      const count = await exportDay({ client, folder, headers, withContent }, name)
      world.out.write(`${name}: ${count} ${count === 1 ? 'message' : 'messages'}\n`)
    }
    return EXIT.ok
  },
})

function readDay(name: string, text: string): Day {
  const day = parseDay(text)
  if (day === undefined) throw usageError(`--${name} must be a day such as 2030-01-31`)
  return day
}

type Exporting = Readonly<{
  client: Client
  folder: string
  headers: Readonly<Record<string, string>>
  withContent: string | undefined
}>

/** Returns how many messages there were. */
async function exportDay({ client, folder, headers, withContent }: Exporting, day: string): Promise<number> {
  const query = { day, with_content: withContent }
  const { body } = await client.open('GET', '/v1/messages/export', { query, headers })
  await using files = new DayFiles(folder, day)
  let count = 0
  for await (const line of readLines(body)) {
    const { events: _, ...message } = line
    await files.write('messages', message)
    for (const event of listIn(line, 'events')) await files.write('events', toEventRow(message, event))
    count += 1
  }
  await files.complete()
  return count
}

const toEventRow = ({ id, channel, account_id }: Json, event: Json): Json => ({
  message_id: id,
  channel,
  account_id,
  ...event,
})

/** A line ends with a newline only: texts may contain other characters that break lines. */
async function* readLines(body: Response['body']): AsyncGenerator<Json> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of body ?? []) {
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield toJson(parseJson(line))
    }
  } catch (error) {
    throw unavailable(LOST, error)
  }
  if (rest !== '') throw unavailable(LOST)
}

const LOST = 'the connection was lost: this day is not exported, run the command again'
