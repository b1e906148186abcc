/** `pombo erase`: destroys what messages say and whom they are for. There is no way back. */
import { parseEmailAddress } from '../domain/email-address.ts'
import { parsePhoneNumber } from '../domain/phone-number.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { type Json, numberIn } from './json.ts'
import { readMessageId } from './message-id.ts'

export const erase = defineCommand({
  name: 'erase',
  summary: 'Erase the content of one message, or of all messages to one recipient, for good.',
  words: { usage: '[ID]', least: 0, most: 1 },
  options: {
    to: { value: 'RECIPIENT', about: 'erase every message to this number or email address' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [word]) {
    const { to } = values
    if ((word === undefined) === (to === undefined)) throw usageError('name either an ID or --to RECIPIENT')
    const client = toClient(world, values)
    const answer = to === undefined ? await eraseOne(client, word) : await eraseAll(client, to)
    world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${toSentence(answer)}\n`)
    return EXIT.ok
  },
})

const eraseOne = (client: Client, word: string | undefined): Promise<Json> =>
  client.call('POST', `/v1/messages/${readMessageId(word)}/erase`)

function eraseAll(client: Client, to: string): Promise<Json> {
  if (parsePhoneNumber(to) === undefined && parseEmailAddress(to) === undefined) {
    throw usageError('--to must be a number in E.164, such as +15005550100, or an email address')
  }
  return client.call('POST', '/v1/erasures', { body: { to } })
}

function toSentence(answer: Json): string {
  const count = numberIn(answer, 'erased') ?? 1
  return count === 1 ? '1 message erased' : `${count} messages erased`
}
