/** `pombo resend`: sends a message again, in a new cycle. */
import { toClient } from './client.ts'
import {
  defineCommand,
  GATEWAY_OPTIONS,
  JSON_OPTION,
  OVERRIDE_OPTION,
  overrideQuery,
  readMessageId,
} from './command.ts'
import { EXIT } from './exit.ts'

export const resend = defineCommand({
  name: 'resend',
  summary: 'Send a delivered, failed or expired message again.',
  words: { usage: 'ID', least: 1, most: 1 },
  options: { ...OVERRIDE_OPTION, ...JSON_OPTION, ...GATEWAY_OPTIONS },
  async run(world, values, [word]) {
    const id = readMessageId(word)
    const query = overrideQuery(values)
    const answer = await toClient(world, values).call('POST', `/v1/messages/${id}/resend`, { query })
    world.out.write(values.json === true ? `${JSON.stringify(answer)}\n` : `${id} queued again\n`)
    return EXIT.ok
  },
})
