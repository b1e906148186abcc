/**
 * Tools that send: to the simulator, or for real once a person has agreed. Every call has an idempotency key, so a client
 * that repeats it does not send twice.
 */
import { z } from 'zod'
import { defineTool, type ToolCall } from '../tool.ts'
import { AnyMessageInput, EmailInput, inMode, SmsInput } from './inputs.ts'
import { askToSend } from './preflight.ts'

const Accepted = z.object({
  id: z.string(),
  created_at: z.string(),
  segments: z.number().optional(),
  encoding: z.string().optional(),
})

const Sent = Accepted.extend({
  channel: z.string(),
  mode: z.enum(['live', 'test']),
  duplicate: z.boolean().describe('The same call was accepted before, and nothing was sent again.'),
  idempotency_key: z.string(),
})

type Channel = 'sms' | 'email'
type Message = Readonly<{ idempotency_key?: string | undefined; to?: string | undefined }>

const PATHS: Readonly<Record<Channel, string>> = { sms: '/v1/sms/send', email: '/v1/email/send' }

async function send({ gateway, keyOf }: ToolCall, channel: Channel, mode: 'live' | 'test', message: Message) {
  const key = message.idempotency_key ?? keyOf({ channel, ...message })
  const body = { ...message, idempotency_key: key }
  const { body: accepted, replayed } = await gateway('POST', PATHS[channel], { body, ...inMode(mode) })
  return { ...Accepted.parse(accepted), channel, mode, duplicate: replayed, idempotency_key: key }
}

async function sendForReal(call: ToolCall, channel: Channel, message: Message) {
  const key = message.idempotency_key ?? call.keyOf({ channel, ...message })
  const body = { ...message, idempotency_key: key }
  if (call.access?.isTest === true) return await send(call, channel, 'test', body)
  await call.confirm(() => askToSend(call.gateway, { channel, ...body }))
  return await send(call, channel, 'live', body)
}

const summarize = ({ id, mode, duplicate }: z.output<typeof Sent>): string => {
  if (duplicate) return `Nothing was sent again: the same call was accepted before, as message ${id}.`
  return mode === 'test'
    ? `Message ${id} was accepted in test mode: it reaches only the simulator. Other tools find it with mode "test".`
    : `Message ${id} was accepted and will be sent. explain_message tells what becomes of it.`
}

export const sendTestMessage = defineTool({
  name: 'send_test_message',
  title: 'Send a test message',
  description:
    'Sends an SMS or email in test mode: it reaches only the simulator, never a person. The numbers +15005550001 (invalid), +15005550002 (blocked), +15005550004 (never accepted), +15005550006 (no report) and +15005550007 (bounces) have those results; others are delivered.',
  scopes: ['sms:send', 'email:send'],
  effect: 'test',
  input: AnyMessageInput,
  output: Sent,
  run: (call, { channel, ...message }) => send(call, channel, 'test', message),
  summarize,
})

const FOR_REAL =
  'It is sent for real, and may cost money: the person is asked for confirmation first. Give `to` and a text, or `template`, or a recipient of the directory.'

export const sendSms = defineTool({
  name: 'send_sms',
  title: 'Send an SMS',
  description: `Sends an SMS. ${FOR_REAL}`,
  scopes: ['sms:send'],
  effect: 'send',
  input: SmsInput,
  output: Sent,
  run: (call, message) => sendForReal(call, 'sms', message),
  summarize,
})

export const sendEmail = defineTool({
  name: 'send_email',
  title: 'Send an email',
  description: `Sends an email. ${FOR_REAL}`,
  scopes: ['email:send'],
  effect: 'send',
  input: EmailInput,
  output: Sent,
  run: (call, message) => sendForReal(call, 'email', message),
  summarize,
})
