/** Kills gateways while they send mail, and checks the mails and the logs. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { mailboxAt, mailsTo, SUBJECT, sendMail } from '../support/email.ts'
import { SES } from '../support/fake-ses.ts'
import { mapInBatches } from '../support/map-in-batches.ts'
import { kindsOf, show } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { AT_ONCE, BOUNCE_SECRET, type EmailSite, PATIENT } from './email-site.fixture.ts'

const MAILS = 200
/** The number of mails the server accepts before it holds its answers. */
const TAKEN = 60

export function emailKillContract({ site, sink }: EmailSite): void {
  const { gateway } = site

  beforeEach(() => sink.react('end', 'take'))

  test(`of ${MAILS} mails none is lost or sent twice when all processes are killed`, async () => {
    const all = Array.from({ length: MAILS }, () => mailboxAt('kill.example'))
    const before = sink.reached('end')
    sink.react('end', (nth) => (nth <= TAKEN ? 'take' : 'hold'))
    const ids = await mapInBatches(all, (to) => sendMail(gateway, { to }))
    await until('mails without an answer', () => sink.reached('end') - before > TAKEN, PATIENT)
    const { length: killed } = await site.stop('SIGKILL')
    await until('the connections to end', () => sink.connected === 0, PATIENT)
    const held = sink.reached('end') - before - TAKEN
    sink.react('end', 'take')
    await site.start()

    const messages = await mapInBatches(ids, (id) =>
      until(
        'the mail to be sent or unknown',
        async () => {
          const message = await show(gateway, id)
          return (message.status === 'sent' || message.unknown) && message
        },
        { ...PATIENT, everyMs: 200 },
      ),
    )
    const problems = messages.flatMap((message, index) => problemsOf(message, mailsTo(sink, all[index] ?? '').length))
    assert.deepEqual(problems, [])
    const { length: unknown } = messages.filter(({ unknown }) => unknown)
    const isConsistent = unknown >= held && unknown <= killed * AT_ONCE
    assert.ok(isConsistent, `${unknown} have an unknown outcome, and ${held} were not answered`)
  })

  test('the logs contain no address, text or secret', () => {
    const output = site.output()
    assert.ok(output.includes('HandoffAccepted'))
    for (const hidden of [SUBJECT, 'It arrives', 'Olá', 'Pedido', BOUNCE_SECRET, SES.secret_access_key, 'one-time']) {
      assert.ok(!output.includes(hidden), hidden)
    }
    // Recipients begin with `ana.` and an id.
    assert.deepEqual(output.match(/.{0,80}\bana\.[0-9a-f]{8}-.{0,20}/g), null)
  })
}

/** An unanswered mail has an unknown outcome; every other mail arrived once. */
function problemsOf(message: MessageDetails, received: number): readonly string[] {
  const details = `${kindsOf(message)}, received ${received} times`
  return [
    ...(received > 1 ? [`sent twice: ${details}`] : []),
    ...(received === 0 && !message.unknown ? [`lost: ${details}`] : []),
    ...(message.unknown && kindsOf(message).at(-1) !== 'HandoffUnknown' ? [`not recorded: ${details}`] : []),
  ]
}
