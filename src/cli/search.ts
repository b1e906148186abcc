/** `pombo search`: finds messages by whatever of them is known. */
import { type Query, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT } from './exit.ts'
import { type Json, textIn, toJson } from './json.ts'
import { drawListing, toPlain } from './render.ts'

/** Named as in the API, with dashes for underscores. */
const FILTERS = {
  status: { value: 'STATUS', about: 'queued, sending, sent, delivered, failed or expired' },
  channel: { value: 'CHANNEL', about: 'sms or email' },
  'handoff-state': { value: 'STATE', about: 'queued, sending, handed_off or failed' },
  'provider-state': {
    value: 'STATE',
    about: 'unknown, accepted, timed_out, delivered, dropped, bounced or complaint',
  },
  provider: { value: 'NAME', about: 'name of the provider' },
  to: { value: 'RECIPIENT', about: 'full phone number or email address of the recipient' },
  'provider-message-id': { value: 'ID', about: "the provider's id of the message" },
  tag: { value: 'TAG', about: 'one of the tags' },
  metadata: { value: 'KEY:VALUE', about: 'one of the metadata fields, such as order:A-17' },
  template: { value: 'NAME', about: 'name of the template' },
  batch: { value: 'ID', about: 'batch in which the message was sent' },
  'error-code': { value: 'CODE', about: 'code of the latest error, such as INVALID_NUMBER' },
  lane: { value: 'LANE', about: 'otp, transactional or bulk' },
  'created-from': { value: 'TIME', about: 'created at this time or later, such as 2030-01-31T12:00:00Z' },
  'created-to': { value: 'TIME', about: 'created before this time' },
  unknown: { about: 'only messages with an unknown outcome' },
} as const

const MAX_LIMIT = 100_000

export const search = defineCommand({
  name: 'search',
  summary: 'Find messages by an id, a recipient, a key or words, newest first.',
  words: { usage: '[TEXT…]', least: 0, most: Number.POSITIVE_INFINITY },
  options: {
    ...FILTERS,
    limit: { value: 'NUMBER', about: 'maximum number of messages (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, words) {
    const limit = whole('limit', values.limit, 20, MAX_LIMIT)
    const query = { ...toFilters(values), q: words.length === 0 ? undefined : words.join(' ') }
    const onFirst = (page: Json): void => world.err.write(toReport(page))
    const pages = readPages(toClient(world, values), '/v1/messages', query, limit, { onFirst })
    if (values.json === true) {
      for await (const message of pages) world.out.write(`${JSON.stringify(message)}\n`)
      return EXIT.ok
    }
    const messages = await Array.fromAsync(pages)
    world.out.write(messages.length === 0 ? 'no messages found\n' : drawListing(world.out, messages))
    return EXIT.ok
  },
})

/** One line on what the text was taken for; nothing without a text. Never the text itself. */
function toReport(page: Json): string {
  const report = toJson(page['search'])
  const tried = report['tried']
  if (!Array.isArray(tried)) return ''
  const foundBy = textIn(report, 'found_by')
  return foundBy === undefined ? `not found by ${tried.map(toName).join(', ')}\n` : `found by ${toName(foundBy)}\n`
}

const toName = (kind: unknown): string => toPlain(String(kind)).replaceAll('_', ' ')

type Filters = Values<typeof FILTERS>

const toFilters = (values: Filters): Query =>
  Object.fromEntries(
    Object.keys(FILTERS).map((name) => [name.replaceAll('-', '_'), values[name as keyof Filters]?.toString()]),
  )
