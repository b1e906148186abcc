/** `pombo tail`: follows the events of all messages. A broken connection is resumed after the last event. */

import { omitUndefined } from '../lib/omit-undefined.ts'
import { millis } from '../lib/time.ts'
import { type Client, toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION } from './command.ts'
import { EXIT, toExitCode } from './exit.ts'
import { type Json, numberIn, parseJson, textIn, toJson } from './json.ts'
import { pad, paint, paintStatus, toClockTime, toPlain, toShortId, toWait } from './render.ts'
import { readServerEvents, type ServerEvent } from './sse.ts'
import type { Output, World } from './world.ts'

export const tail = defineCommand({
  name: 'tail',
  summary: 'Follow the events of all messages, live.',
  options: {
    since: { value: 'EVENT', about: 'start after this event id, as --json prints it (0: from the beginning)' },
    full: { about: 'show full message ids' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  async run(world, values) {
    const draw = (event: ServerEvent): string =>
      values.json === true ? drawJson(event) : drawEvent(world.out, event, values.full === true)
    await follow(world, toClient(world, values), values.since, draw)
    return EXIT.ok
  },
})

const FIRST_WAIT = 250
const MAX_WAIT = 10_000

type Draw = (event: ServerEvent) => string

async function follow(world: World, client: Client, since: string | undefined, draw: Draw): Promise<void> {
  const signal = world.stopSignal()
  let last = since
  // Retrying cannot fix a wrong URL or token, so the first connection must succeed.
  let wait: number | undefined
  while (!signal.aborted) {
    try {
      for await (const event of connect(client, last, signal)) {
        last = event.id ?? last
        wait = FIRST_WAIT
        world.out.write(draw(event))
      }
      wait ??= FIRST_WAIT
    } catch (error) {
      if (signal.aborted) return
      if (wait === undefined || toExitCode(error) !== EXIT.unavailable) throw error
    }
    if (signal.aborted) return
    world.err.write(`${paint(world.err, 'gray', 'connection lost, reconnecting')}\n`)
    await world.pause(millis(wait), signal)
    wait = Math.min(wait * 2, MAX_WAIT)
  }
}

/** The events of one connection until it ends or breaks; throws when it cannot be opened. */
async function* connect(client: Client, last: string | undefined, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const headers = omitUndefined({ accept: 'text/event-stream', 'last-event-id': last })
  const { body } = await client.open('GET', '/v1/events', { headers, signal })
  if (body !== null) yield* readServerEvents(untilBroken(body))
}

async function* untilBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    // A broken connection ends like a closed one: the caller reconnects.
  }
}

const drawJson = ({ id, name, data }: ServerEvent): string =>
  `${JSON.stringify({ id, event: name, data: parseJson(data) ?? data })}\n`

const CHANGE_WIDTH = 'sending → delivered'.length

function drawEvent(out: Output, { name, data }: ServerEvent, full: boolean): string {
  const fields = toJson(parseJson(data))
  const at = textIn(fields, 'at') ?? ''
  const id = toPlain(textIn(fields, 'messageId') ?? '')
  const change = pad(toChange(out, name, fields), CHANGE_WIDTH)
  return `${toClockTime(toPlain(at))}  ${change}  ${paint(out, 'gray', full ? id : toShortId(id))}\n`
}

/** Event names: `sms.events.status.v1`, `sms.outbound.retry.v1`, `sms.outbound.deadletter.v1`. */
function toChange(out: Output, name: string, fields: Json): string {
  const text = (key: string): string => toPlain(textIn(fields, key) ?? '')
  if (name.includes('.status.')) {
    const before = text('previousStatus')
    return `${before === '' ? 'new' : before} → ${paintStatus(out, text('newStatus'))}`
  }
  if (name.includes('.retry.')) {
    const wait = toWait(text('at'), text('dueAt'))
    return `${paint(out, 'yellow', `attempt ${numberIn(fields, 'attempt')}`)}: ${text('reason')}, again in ${wait}`
  }
  if (name.includes('.deadletter.')) return `${paint(out, 'red', 'dead letter')}: ${text('failureReason')}`
  return toPlain(name)
}
