/** `pombo settle`: says what became of a message that nobody knows the outcome of, or sends it again. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, needed } from './command.ts'
import { EXIT, usageError } from './exit.ts'
import { readMessageId } from './message-id.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  sent: 'counts as sent',
  not_sent: 'counts as not sent, and has failed',
  resend: 'is sent again, and may arrive twice',
}

export const resolve = defineCommand({
  name: 'settle',
  summary: 'Settle a message with an unknown outcome, one that `pombo search --unknown` finds.',
  words: { usage: 'ID', least: 1, most: 1 },
  options: {
    as: {
      value: 'WHAT',
      about: 'sent (the provider has it), not_sent (it certainly does not), or resend (even if it arrives twice)',
    },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [word]) {
    const id = readMessageId(word)
    const as = needed('as', values.as)
    const sentence = Object.hasOwn(SENTENCES, as) ? SENTENCES[as] : undefined
    if (sentence === undefined) throw usageError('--as must be sent, not_sent or resend')
    const answer = await toClient(world, values).call('POST', `/v1/messages/${id}/resolve`, { body: { as } })
    world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${id} ${sentence}\n`)
    return EXIT.ok
  },
})
