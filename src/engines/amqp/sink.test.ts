import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { GetMessage } from 'amqplib'
import { findRabbit, missingRabbit, startRabbit } from '../../../test/support/rabbitmq.ts'
import { skipUnavailable } from '../../../test/support/skip.ts'
import type { MessageId } from '../../domain/ids.ts'
import { type SinkBroker, sinkContract } from '../../ports/sink.contract.ts'
import type { SinkEvent } from '../../ports/sink.ts'
import { reasonOf, Unavailable } from '../../ports/unavailable.ts'
import { openAmqpSink } from './sink.ts'

const TYPE = 'sms.events.status.v1'
const EVENT: SinkEvent = { id: 'event', type: TYPE, messageId: 'message' as MessageId, body: '{}' }

const toEvent = ({ fields, properties, content }: GetMessage): SinkEvent => ({
  id: String(properties.messageId),
  type: fields.routingKey,
  messageId: String(properties.headers?.['message_id']) as MessageId,
  body: content.toString(),
})

if (findRabbit() === undefined) test('sinks on AMQP', (t) => skipUnavailable(t, missingRabbit() ?? ''))
else {
  const rabbit = await startRabbit()
  after(() => rabbit[Symbol.asyncDispose]())
  await rabbit.declare('pombo')
  const open = (exchange: string, prefix = '') => openAmqpSink({ url: rabbit.url, exchange, prefix })

  const read: SinkEvent[] = []
  const broker: SinkBroker = {
    open: () => open('pombo'),
    async read() {
      read.push(...(await rabbit.drain('pombo')).map(toEvent))
      return read
    },
    stop: () => rabbit.kill(),
    start: () => rabbit.start(),
  }
  sinkContract('AMQP', [TYPE, 'sms-outbound'], broker)

  test('an event that no queue takes is not published, and the reason names its routing key', async () => {
    await rabbit.declare('only-mail', 'email.#')
    await using sink = await open('only-mail', 'eu.')
    await assert.rejects(sink.publish([EVENT]), (error) => {
      assert.ok(error instanceof Unavailable)
      assert.match(error.message, /eu\.sms\.events\.status\.v1/)
      return true
    })
  })

  test('the default exchange routes to the queue with the name of the routing key', async () => {
    await rabbit.declare(TYPE)
    await using sink = await open('')
    await sink.publish([EVENT])
    assert.deepEqual((await rabbit.drain(TYPE)).map(toEvent), [EVENT])
  })

  test('an exchange that does not exist is named', async () => {
    await assert.rejects(open('nowhere'), (error) => /no exchange 'nowhere'/.test(reasonOf(error)))
  })

  test('a wrong password is refused without repeating it', async () => {
    const url = rabbit.url.replace('guest:guest', 'guest:wrong-secret')
    await assert.rejects(openAmqpSink({ url, exchange: '', prefix: '' }), (error) => {
      assert.ok(error instanceof Unavailable)
      assert.match(reasonOf(error), /ACCESS.REFUSED/i)
      assert.doesNotMatch(reasonOf(error), /wrong-secret/)
      return true
    })
  })
}
