/** `pombo erase`: destroys the content and the recipients of messages, irreversibly. */
import { parseEmailAddress } from '../domain/email/address.ts'
import { parsePhoneNumber } from '../domain/message/phone-number.ts'
import { millis } from '../lib/time.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, readMessageId } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'
import { type Json, numberIn, textIn } from './json.ts'
import { toProgress } from './progress.ts'
import type { World } from './world.ts'

export const erase = defineCommand({
  name: 'erase',
  summary: 'Permanently erase the content of one message, or of all messages to a recipient.',
  words: { usage: '[ID]', least: 0, most: 1 },
  options: {
    to: {
      value: 'RECIPIENT',
      about: 'erase every message to this phone number or email address; prints the signed receipt',
    },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [word]) {
    const { to } = values
    if ((word === undefined) === (to === undefined)) throw usageError('pass either an ID or --to RECIPIENT')
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

/** Only the receipt goes to standard output, for `pombo erase --to … > receipt.json`. */
async function eraseAll(world: World, client: Client, to: string, json: boolean): Promise<number> {
  if (parsePhoneNumber(to) === undefined && parseEmailAddress(to) === undefined) {
    throw usageError('--to must be a phone number in E.164 format, such as +15005550100, or an email address')
  }
  const started = await client.call('POST', '/v1/erasures', { body: { to } })
  const id = textIn(started, 'id')
  if (id === undefined) throw failure('the gateway started the erasure without returning its id')
  const done = await untilCompleted(world, client, id)
  world.out.write(json ? `${JSON.stringify(done)}\n` : `${JSON.stringify(done['receipt'], null, 2)}\n`)
  if (!json) world.err.write(`${toSummary(done)}\n`)
  return numberIn(done, 'failed') === 0 ? EXIT.ok : EXIT.failure
}

const FIRST_WAIT = 100
const MAX_WAIT = 2_000

/** Waits without a timeout. Interrupting the command does not stop the erasure. */
async function untilCompleted(world: World, client: Client, id: string): Promise<Json> {
  const progress = toProgress(world, 'erasing')
  try {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      const erasure = await client.call('GET', `/v1/erasures/${id}`)
      if (textIn(erasure, 'status') === 'completed') return erasure
      progress.show(numberIn(erasure, 'erased') ?? 0)
      await world.pause(millis(wait))
    }
  } finally {
    progress.end()
  }
}

function toSummary(erasure: Json): string {
  const [erased, failed] = [numberIn(erasure, 'erased') ?? 0, numberIn(erasure, 'failed') ?? 0]
  const done = erased === 1 ? '1 message erased' : `${erased} messages erased`
  return failed === 0 ? done : `${done}, ${failed} failed; the receipt lists them`
}
