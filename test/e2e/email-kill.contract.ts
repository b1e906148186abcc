/** Gateways that die while mail is under way, and what they have said until then. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { mailboxAt, mailsTo, SUBJECT, sendMail } from '../support/email.ts'
import { SES } from '../support/fake-ses.ts'
import { inFlight } from '../support/in-hands.ts'
import { kindsOf, show } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { AT_ONCE, BOUNCE_SECRET, type EmailSite, PATIENT } from './email-site.fixture.ts'

const MAILS = 200
/** How many the server takes before it takes its time. */
const TAKEN = 60

export function emailKillContract({ site, sink }: EmailSite): void {
  const { gateway } = site

  beforeEach(() => sink.react('end', 'take'))

  test(`no mail of ${MAILS} is lost or sent twice when all is killed on the way`, async () => {
    const all = Array.from({ length: MAILS }, () => mailboxAt('kill.example'))
    const before = sink.reached('end')
    sink.react('end', (nth) => (nth <= TAKEN ? 'take' : 'hold'))
    const ids = await inFlight(all, (to) => sendMail(gateway, { to }))
    await until('mails that wait for their answers', () => sink.reached('end') - before > TAKEN, PATIENT)
    const { length: killed } = await site.stop('SIGKILL')
    await until('the connections to end', () => sink.connected === 0, PATIENT)
    const held = sink.reached('end') - before - TAKEN
    sink.react('end', 'take')
    await site.start()

    const messages = await inFlight(ids, (id) =>
      until(
        'the mail to be sent or unknown',
        async () => {
          const message = await show(gateway, id)
          return (message.status === 'sent' || message.unknown) && message
        },
        { ...PATIENT, everyMs: 200 },
      ),
    )
    const problems = messages.flatMap((message, place) => problemsOf(message, mailsTo(sink, all[place] ?? '').length))
    assert.deepEqual(problems, [])
    const { length: doubts } = messages.filter(({ unknown }) => unknown)
    const isHonest = doubts >= held && doubts <= killed * AT_ONCE
    assert.ok(isHonest, `${doubts} are with an unknown outcome, and ${held} were not answered`)
  })

  test('no address, text or secret is in what the gateway says', () => {
    const said = site.said()
    assert.ok(said.includes('HandoffAccepted'))
    for (const hidden of [SUBJECT, 'It comes', 'Olá', 'Pedido', BOUNCE_SECRET, SES.secret_access_key, 'one-time']) {
      assert.ok(!said.includes(hidden), hidden)
    }
    // Whom it is for begins with `ana.` and an id.
    assert.deepEqual(said.match(/.{0,80}\bana\.[0-9a-f]{8}-.{0,20}/g), null)
  })
}

/** What nobody knows of is told as such; all else arrived, once. */
function problemsOf(message: MessageDetails, received: number): readonly string[] {
  const told = `${kindsOf(message)}, received ${received} times`
  return [
    ...(received > 1 ? [`sent twice: ${told}`] : []),
    ...(received === 0 && !message.unknown ? [`lost: ${told}`] : []),
    ...(message.unknown && kindsOf(message).at(-1) !== 'HandoffUnknown' ? [`not told: ${told}`] : []),
  ]
}
