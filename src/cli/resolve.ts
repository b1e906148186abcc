/** `pombo resolve`: sets the outcome of a message whose outcome is unknown, or sends it again. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, needed, readMessageId } from './command.ts'
import { EXIT, usageError } from './exit.ts'

const RESULTS: Readonly<Record<string, string>> = {
  sent: 'resolved as sent',
  not_sent: 'resolved as not sent and failed',
  resend: 'queued again; it may arrive twice',
}

export const resolve = defineCommand({
  name: 'resolve',
  summary: 'Resolve a message with an unknown outcome, as `pombo search --unknown` lists them.',
  words: { usage: 'ID', least: 1, most: 1 },
  options: {
    as: {
      value: 'OUTCOME',
      about: 'sent (the provider has it), not_sent (the provider does not have it) or resend (it may arrive twice)',
    },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values, [word]) {
    const id = readMessageId(word)
    const as = needed('as', values.as)
    const result = Object.hasOwn(RESULTS, as) ? RESULTS[as] : undefined
    if (result === undefined) throw usageError('--as must be sent, not_sent or resend')
    const answer = await toClient(world, values).call('POST', `/v1/messages/${id}/resolve`, { body: { as } })
    world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${id} ${result}\n`)
    return EXIT.ok
  },
})
