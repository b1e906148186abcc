/** `pombo dlq`: lists and replays dead letters. */
import { type Call, type Client, readPages, toClient } from './client.ts'
import {
  defineCommand,
  GATEWAY_OPTIONS,
  JSON_OPTION,
  OVERRIDE_OPTION,
  overrideQuery,
  readMessageId,
  whole,
} from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { numberIn, textIn } from './json.ts'
import { toProgress } from './progress.ts'
import { drawListing } from './render.ts'
import type { World } from './world.ts'

const PATH = '/v1/dead-letters'

export const dlq = defineCommand({
  name: 'dlq',
  summary: 'List dead letters, or replay them: each is sent again in a new cycle.',
  words: { usage: 'list | replay ID | replay --all', least: 1, most: 2 },
  options: {
    all: { about: 'replay every dead letter' },
    limit: { value: 'NUMBER', about: 'maximum number to list (20)' },
    ...OVERRIDE_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [verb, word]) {
    const json = values.json === true
    const limit = whole('limit', values.limit, 20, 100_000)
    const client = toClient(world, values)
    if (verb === 'list' && word === undefined) return await list(world, client, limit, json)
    if (verb !== 'replay' || (word === undefined) !== (values.all === true)) {
      throw usageError('usage: pombo dlq list, pombo dlq replay ID, or pombo dlq replay --all')
    }
    const call = { query: overrideQuery(values) }
    if (word === undefined) return await replayAll(world, client, call, json)
    return await replayOne(world, client, readMessageId(word), call, json)
  },
})

async function list(world: World, client: Client, limit: number, json: boolean): Promise<number> {
  const letters = await Array.fromAsync(readPages(client, PATH, {}, limit))
  if (json) for (const letter of letters) world.out.write(`${JSON.stringify(letter)}\n`)
  else if (letters.length === 0) world.out.write('no dead letters\n')
  else world.out.write(drawListing(world.out, letters))
  return EXIT.ok
}

async function replayOne(world: World, client: Client, id: string, call: Call, json: boolean): Promise<number> {
  const answer = await client.call('POST', `${PATH}/${id}/replay`, call)
  world.out.write(json ? `${JSON.stringify(answer)}\n` : `${id} queued again\n`)
  return EXIT.ok
}

/** The gateway replays one batch per call and returns a cursor to the next. */
async function replayAll(world: World, client: Client, call: Call, json: boolean): Promise<number> {
  const progress = toProgress(world, 'replaying')
  let [replayed, skipped, limited] = [0, 0, 0]
  let cursor: string | undefined
  try {
    do {
      const body = cursor === undefined ? {} : { cursor }
      const answer = await client.call('POST', `${PATH}/replay`, { ...call, body })
      replayed += numberIn(answer, 'replayed') ?? 0
      skipped += numberIn(answer, 'skipped') ?? 0
      limited += numberIn(answer, 'rate_limited') ?? 0
      cursor = textIn(answer, 'next_cursor')
      progress.show(replayed + skipped + limited)
    } while (cursor !== undefined)
  } finally {
    progress.end()
  }
  const notes = [
    ...(skipped === 0
      ? []
      : [`${skipped} skipped (erased, expired, replayed already, or from a sender that is no longer allowed)`]),
    ...(limited === 0 ? [] : [`${limited} refused by limits (replay them later, or with --override-limits)`]),
  ]
  const counts = { replayed, skipped, rate_limited: limited }
  world.out.write(json ? `${JSON.stringify(counts)}\n` : `${[`${replayed} replayed`, ...notes].join(', ')}\n`)
  return EXIT.ok
}
