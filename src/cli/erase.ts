/** `pombo erase`: destroys what messages say and whom they are for. There is no way back. */
import { parseEmailAddress } from '../domain/email/address.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { millis } from '../lib/time.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { type Json, numberIn, textIn } from './json.ts'
import { readMessageId } from './message-id.ts'
import { toProgress } from './progress.ts'
import type { World } from './world.ts'

export const erase = defineCommand({
  name: 'erase',
  summary: 'Erase the content of one message, or of all messages to one recipient, for good.',
  words: { usage: '[ID]', least: 0, most: 1 },
  options: {
    to: { value: 'RECIPIENT', about: 'erase every message to this number or address; prints the signed receipt' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [word]) {
    const { to } = values
    if ((word === undefined) === (to === undefined)) throw usageError('name either an ID or --to RECIPIENT')
    const client = toClient(world, values)
    const json = values.json === true
    return to === undefined ? await eraseOne(world, client, word, json) : await eraseAll(world, client, to, json)
  },
})

async function eraseOne(world: World, client: Client, word: string | undefined, json: boolean): Promise<number> {
  const answer = await client.call('POST', `/v1/messages/${readMessageId(word)}/erase`)
  world.out.write(json ? `${JSON.stringify(answer)}\n` : '1 message erased\n')
  return EXIT.ok
}

/** The receipt alone goes to standard output, so that it can be kept: `pombo erase --to … > receipt.json`. */
async function eraseAll(world: World, client: Client, to: string, json: boolean): Promise<number> {
  if (parsePhoneNumber(to) === undefined && parseEmailAddress(to) === undefined) {
    throw usageError('--to must be a number in E.164, such as +15005550100, or an email address')
  }
  const begun = await client.call('POST', '/v1/erasures', { body: { to } })
  const id = textIn(begun, 'id')
  if (id === undefined) throw failure('the gateway began the erasure and did not say its id')
  const done = await untilCompleted(world, client, id)
  world.out.write(json ? `${JSON.stringify(done)}\n` : `${JSON.stringify(done['receipt'], null, 2)}\n`)
  if (!json) world.err.write(`${toSentence(done)}\n`)
  return numberIn(done, 'failed') === 0 ? EXIT.ok : EXIT.failure
}

const FIRST_WAIT = 100
const LONGEST_WAIT = 2_000

/** However long it takes: whoever stops waiting does not stop the erasure. */
async function untilCompleted(world: World, client: Client, id: string): Promise<Json> {
  const progress = toProgress(world, 'erasing')
  try {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      const erasure = await client.call('GET', `/v1/erasures/${id}`)
      if (textIn(erasure, 'status') === 'completed') return erasure
      progress.show(numberIn(erasure, 'erased') ?? 0)
      await world.pause(millis(wait))
    }
  } finally {
    progress.end()
  }
}

function toSentence(erasure: Json): string {
  const [erased, failed] = [numberIn(erasure, 'erased') ?? 0, numberIn(erasure, 'failed') ?? 0]
  const done = erased === 1 ? '1 message erased' : `${erased} messages erased`
  return failed === 0 ? done : `${done}, ${failed} failed: the receipt says which`
}
