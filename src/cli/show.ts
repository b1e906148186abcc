/** `pombo show`: shows a message and its timeline. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, readMessageId } from './command.ts'
import { EXIT } from './exit.ts'
import { drawMessage } from './timeline.ts'

export const show = defineCommand({
  name: 'show',
  summary: 'Show a message and its timeline.',
  words: { usage: 'ID', least: 1, most: 1 },
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  async run(world, values, [word]) {
    const id = readMessageId(word)
    const message = await toClient(world, values).call('GET', `/v1/messages/${id}`)
    world.out.write(values.json === true ? `${JSON.stringify(message)}\n` : drawMessage(world.out, message))
    return EXIT.ok
  },
})
