/** Tools for messages that failed after their last attempt. */
import { z } from 'zod'
import { mayUse } from '../access.ts'
import { quote } from '../plain-text.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { inMode, MessageIdInput, Mode } from './inputs.ts'
import { countOf, MessageDetailsView, MessagePageView } from './message-views.ts'
import { Filters, toQuery } from './messages.ts'

export const listDeadLetters = defineTool({
  name: 'list_dead_letters',
  title: 'List dead letters',
  description: 'Lists messages that failed after their last attempt, newest first. They can be replayed.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject(Filters),
  output: MessagePageView,
  async run({ gateway }, { mode, ...query }) {
    return (await gateway('GET', '/v1/dead-letters', { query: toQuery(query), ...inMode(mode) })).body
  },
  summarize: ({ items, next_cursor }) =>
    `${countOf(items.length, 'dead letter')}${next_cursor === null ? '' : ', and there are more'}.`,
})

export const replayDeadLetter = defineTool({
  name: 'replay_dead_letter',
  title: 'Replay a dead letter',
  description:
    'Sends a dead letter again, in a new cycle with all its attempts. Asks the person for confirmation first. ' +
    'If the outcome of its latest attempt is unknown, the recipient may get it twice.',
  scopes: ['messages:write'],
  effect: 'resend',
  input: z.strictObject({ id: MessageIdInput, mode: Mode }),
  output: z.object({ id: z.string(), status: z.string(), cycle: z.number(), updated_at: z.string() }),
  async run(call, { id, mode }) {
    const { gateway, access } = call
    const isReal = mode === 'live' && access?.isTest !== true
    if (isReal) await call.confirm(() => askToReplay(call, id))
    return (await gateway('POST', `/v1/dead-letters/${id}/replay`, inMode(mode))).body
  },
  summarize: ({ id, cycle }) => `Message ${id} is queued again, in cycle ${cycle}.`,
})

/** Names the message as far as the credentials may read it. */
async function askToReplay({ gateway, access }: ToolCall, id: string): Promise<string> {
  const question = `Replay the dead letter ${id}? It is sent again for real.`
  if (!mayUse(access, ['messages:read'])) return question
  const { body } = await gateway('GET', `/v1/messages/${id}`, { query: { events_limit: '1' } })
  const { to, channel, error_code: code, unknown } = MessageDetailsView.parse(body)
  return [
    question,
    `Channel: ${channel}`,
    `To: ${to === null ? 'erased' : quote(to)}`,
    `Failed with: ${code ?? 'no error code'}`,
    ...(unknown ? ['The outcome of its latest attempt is unknown: the recipient may get it twice.'] : []),
  ].join('\n')
}
