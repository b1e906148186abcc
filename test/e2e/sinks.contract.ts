/** Integration events on brokers outside, while these and the gateway stop and start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Gateway } from '../support/gateway.ts'
import { type Kafka, missingKafka, startKafka } from '../support/kafka.ts'
import { missingRabbit, type RabbitMq, startRabbit } from '../support/rabbitmq.ts'
import { skipUnavailable } from '../support/skip.ts'
import { send } from '../support/sms.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'

export type SinkSite = Readonly<{
  gateway: () => Promise<Gateway>
  /** All processes that may publish. */
  processes: () => Promise<readonly Gateway[]>
  /** Ends the gateway and starts it again. */
  restart: () => Promise<void>
  natsUrl: string
}>
/** Opens a gateway with these sinks; `natsUrl` reads the URL of its NATS server from the environment. */
export type OpenSinkSite = (sinks: readonly object[], opened: AsyncDisposableStack) => Promise<SinkSite>

export const NATS_VARIABLE = 'SINK_NATS_URL'
const STREAM = 'SMS_OUTBOUND'
const STATUS = 'sms.events.status.v1'
const RUNS = 100
const CONSUMER = join(import.meta.dirname, '../../deploy/examples/sms-outbound.ts')

type Text = Readonly<{ userId: number; message: string }>
type StatusEvent = Readonly<{ messageId: string; newStatus: string }>
type Published = Readonly<{ id: string; event: StatusEvent }>

export async function sinksContract(profile: string, open: OpenSinkSite): Promise<void> {
  const missing = missingRabbit() ?? missingKafka()
  await describe(`sinks on ${profile}`, { timeout: 240_000 }, async () => {
    if (missing !== undefined) test('sinks', (t) => skipUnavailable(t, missing))
    else await brokers(open)
  })
}

async function brokers(open: OpenSinkSite): Promise<void> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const [rabbit, kafka] = await Promise.all([startRabbit(), startKafka()])
  opened.use(rabbit)
  opened.use(kafka)
  await rabbit.declare('pombo')
  const site = await open(
    [
      { name: 'crm', kind: 'amqp', settings: { url: rabbit.url, exchange: 'pombo' } },
      { name: 'warehouse', kind: 'kafka', types: [STATUS, 'sms-outbound'], settings: { brokers: [kafka.broker] } },
      {
        name: 'sender',
        kind: 'nats',
        types: ['sms-outbound'],
        settings: { url: `\${${NATS_VARIABLE}}`, stream: STREAM },
      },
    ],
    opened,
  )
  textsContract(site, kafka, opened)
  outagesContract(site, rabbit, kafka)
}

function textsContract(site: SinkSite, kafka: Kafka, opened: AsyncDisposableStack): void {
  const texts = fc.record({
    userId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    message: fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }).filter((text) => text.trim() !== ''),
  })
  const sent: readonly Text[] = fc
    .sample(texts, RUNS)
    .map(({ userId, message }) => ({ userId, message: message.trim() }))
  const received: Text[] = []

  test('S5-P7 for any successful send request, a message on sms-outbound contains the userId and message payload from the original request', async () => {
    const { call } = await site.gateway()
    const phone = '+15552000001'
    // One of them has a phone number, and is a user all the same.
    await call('POST', '/v1/recipients', { external_id: String(sent[0]?.userId), phone })
    await Promise.all(
      sent.map(async (text) => {
        await call('POST', '/api/config', { userId: text.userId, rateLimit: RUNS, timeWindow: 60 })
        const { status } = await until('the limit to apply', async () => {
          const answer = await call('POST', '/api/send', text)
          return answer.status !== 404 && answer
        })
        assert.equal(status, 200)
      }),
    )
    const published = await until('all texts', async () => {
      const records = await kafka.read('sms-outbound')
      return records.length >= RUNS && records
    })
    assert.deepEqual(published.map(({ value }) => value).toSorted(), sent.map(toJson).toSorted())
  })

  test('S5-P8 for any valid message consumed from sms-outbound, the consumer logs "SMS Sent" and the message content', async () => {
    const env = { ...process.env, NATS_URL: site.natsUrl, STREAM }
    const consumer = spawn(process.execPath, [CONSUMER], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    opened.defer(() => void consumer.kill('SIGKILL'))
    // A text may contain what readline takes for the end of a line, such as U+2028.
    let printed = ''
    consumer.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (printed + chunk).split('\n')
      printed = lines.pop() ?? ''
      for (const line of lines) {
        const [, json] = /^SMS Sent: (.*)$/s.exec(line) ?? []
        assert.ok(json, line)
        received.push(JSON.parse(json) as Text)
      }
    })
    await until('all texts', () => received.length >= RUNS, { withinMs: START_WITHIN_MS })
    assert.deepEqual(received.map(toJson).toSorted(), sent.map(toJson).toSorted())
    consumer.kill('SIGTERM')
  })
}

function outagesContract(site: SinkSite, rabbit: RabbitMq, kafka: Kafka): void {
  const ids: string[] = []
  const sendSome = async (count: number): Promise<void> => {
    const gateway = await site.gateway()
    ids.push(...(await Promise.all(Array.from({ length: count }, () => send(gateway)))))
  }
  const queue: Published[] = []
  const fromRabbit = async (): Promise<readonly Published[]> => {
    for (const { properties, content, fields } of await rabbit.drain('pombo')) {
      if (fields.routingKey === STATUS) queue.push({ id: properties.messageId, event: JSON.parse(content.toString()) })
    }
    return queue
  }
  const fromKafka = async (): Promise<readonly Published[]> =>
    (await kafka.read(STATUS)).map(({ headers, value }) => ({ id: headers, event: JSON.parse(value) }))

  test('loses nothing while the brokers are away, the gateway restarts, and they come back', async () => {
    await sendSome(20)
    await Promise.all([rabbit.kill(), kafka.down()])
    await sendSome(20)
    const { sinks, lag } = await until('both losses to be noticed', async () => {
      const found = await readinessOf(await site.processes())
      return ['crm', 'warehouse'].every((name) => found.sinks[`sink_${name}`]?.ok === false) && found
    })
    assert.match(sinks['sink_crm']?.detail ?? '', /AMQP broker/)
    assert.equal(sinks['sink_sender']?.ok, true)
    assert.ok(lag('crm') > 0)
    // RabbitMQ takes longer to start than a gateway.
    await Promise.all([site.restart(), rabbit.start()])
    await sendSome(20)
    await kafka.up()
    await sendSome(20)
    for (const read of [fromRabbit, fromKafka]) {
      const published = await until(
        'every status to be published',
        async () => {
          const found = statusesOf(await read())
          return ids.every((id) => found.get(id)?.at(-1) === 'delivered') && found
        },
        { withinMs: 60_000, everyMs: 200 },
      )
      for (const id of ids) assert.deepEqual(published.get(id), ['queued', 'sending', 'sent', 'delivered'])
    }
    const after = await until('the sinks to catch up', async () => {
      const found = await readinessOf(await site.processes())
      return found.lag('crm') === 0 && found
    })
    assert.ok(Object.values(after.sinks).every(({ ok }) => ok))
  })
}

const toJson = ({ userId, message }: Text): string => JSON.stringify({ userId, message })

/** The statuses of each message in the order of its events; an event that was published again counts once. */
function statusesOf(published: readonly Published[]): ReadonlyMap<string, readonly string[]> {
  const unique = new Map<string, StatusEvent>()
  for (const { id, event } of published) if (!unique.has(id)) unique.set(id, event)
  const statuses = new Map<string, string[]>()
  for (const { messageId, newStatus } of unique.values()) {
    statuses.set(messageId, [...(statuses.get(messageId) ?? []), newStatus])
  }
  return statuses
}

type Health = Readonly<Record<string, Readonly<{ ok: boolean; needed: boolean; detail?: string }>>>

/** The worst that any process knows of its sinks, which never makes it unready. */
async function readinessOf(processes: readonly Gateway[]) {
  const sinks: Record<string, Health[string]> = {}
  let metrics = ''
  for (const { call } of processes) {
    const { status, body } = await call<{ dependencies: Health }>('GET', '/health/ready')
    assert.equal(status, 200)
    for (const [name, health] of Object.entries(body.dependencies)) {
      if (name.startsWith('sink_') && sinks[name]?.ok !== false) sinks[name] = health
    }
    metrics += (await call('GET', '/metrics')).text
  }
  const lag = (sink: string): number => Number(metrics.match(`pombo_sink_lag_events{sink="${sink}"} (.+)`)?.[1])
  return { sinks, lag }
}
