/** `pombo search`: finds messages by words and by what is known of them. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, type Values, whole } from './command.ts'
import { EXIT } from './exit.ts'
import { drawListing } from './listing.ts'
import { type Query, readPages } from './pages.ts'

/** Named as in the API, but for the dashes. */
const FILTERS = {
  status: { value: 'STATUS', about: 'accepted, queued, sending, sent, delivered, failed or expired' },
  channel: { value: 'CHANNEL', about: 'sms or email' },
  'handoff-state': { value: 'STATE', about: 'created, queued, sending, handed_off or failed' },
  'provider-state': {
    value: 'STATE',
    about: 'unknown, accepted, timed_out, delivered, dropped, bounced or complaint',
  },
  provider: { value: 'NAME', about: 'the provider that has it' },
  to: { value: 'RECIPIENT', about: 'the recipient, whole: a number or an email address' },
  tag: { value: 'TAG', about: 'one of its tags' },
  lane: { value: 'LANE', about: 'otp, transactional or bulk' },
  'created-from': { value: 'TIME', about: 'made at this time or later, such as 2030-01-31T12:00:00Z' },
  'created-to': { value: 'TIME', about: 'made before this time' },
  unknown: { about: 'only where nobody knows whether the provider has it' },
} as const

const MOST = 100_000

export const search = defineCommand({
  name: 'search',
  summary: 'Find messages, newest first.',
  words: { usage: '[WORDS…]', least: 0, most: Number.POSITIVE_INFINITY },
  options: {
    ...FILTERS,
    limit: { value: 'NUMBER', about: 'how many at most (20)' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, words) {
    const limit = whole('limit', values.limit, 20, MOST)
    const query = { ...toFilters(values), q: words.length === 0 ? undefined : words.join(' ') }
    const pages = readPages(toClient(world, values), '/v1/messages', query, limit)
    if (values.json === true) {
      for await (const message of pages) world.out.write(`${JSON.stringify(message)}\n`)
      return EXIT.ok
    }
    const messages = await Array.fromAsync(pages)
    world.out.write(messages.length === 0 ? 'nothing found\n' : drawListing(world.out, messages))
    return EXIT.ok
  },
})

type Filters = Values<typeof FILTERS>

const toFilters = (values: Filters): Query =>
  Object.fromEntries(
    Object.keys(FILTERS).map((name) => [name.replaceAll('-', '_'), values[name as keyof Filters]?.toString()]),
  )
