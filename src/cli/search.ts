/** `pombo search`: finds messages by words and filters. */
import { type Query, readPages, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT } from './exit.ts'
import { drawListing } from './render.ts'

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
  tag: { value: 'TAG', about: 'one of the tags' },
  metadata: { value: 'KEY:VALUE', about: 'one of the metadata fields, such as order:A-17' },
  lane: { value: 'LANE', about: 'otp, transactional or bulk' },
  'created-from': { value: 'TIME', about: 'created at this time or later, such as 2030-01-31T12:00:00Z' },
  'created-to': { value: 'TIME', about: 'created before this time' },
  unknown: { about: 'only messages with an unknown outcome' },
} as const

const MAX_LIMIT = 100_000

export const search = defineCommand({
  name: 'search',
  summary: 'Find messages, newest first.',
  words: { usage: '[WORDS…]', least: 0, most: Number.POSITIVE_INFINITY },
  options: {
    ...FILTERS,
    limit: { value: 'NUMBER', about: 'maximum number of messages (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, words) {
    const limit = whole('limit', values.limit, 20, MAX_LIMIT)
    const query = { ...toFilters(values), q: words.length === 0 ? undefined : words.join(' ') }
    const pages = readPages(toClient(world, values), '/v1/messages', query, limit)
    if (values.json === true) {
      for await (const message of pages) world.out.write(`${JSON.stringify(message)}\n`)
      return EXIT.ok
    }
    const messages = await Array.fromAsync(pages)
    world.out.write(messages.length === 0 ? 'no messages found\n' : drawListing(world.out, messages))
    return EXIT.ok
  },
})

type Filters = Values<typeof FILTERS>

const toFilters = (values: Filters): Query =>
  Object.fromEntries(
    Object.keys(FILTERS).map((name) => [name.replaceAll('-', '_'), values[name as keyof Filters]?.toString()]),
  )
