import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { until } from '../../../test/support/until.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { millis, seconds } from '../../lib/time.ts'
import { attemptTo, mailTo, NEVER_ABORTED, received, setUp, summary, TENANT } from './fixture.ts'
import { setUpRemote } from './remote-fixture.ts'
import type { Simulator } from './simulator.ts'

const address = (text: string) => ({ address: text as EmailAddress })
const FULL: Partial<EmailContent> = {
  from: { ...address('news@acme.example'), name: 'Acme, Ltd' },
  replyTo: [address('help@acme.example')],
  cc: [address('copy@example.com')],
  bcc: [address('hidden@example.com')],
  subject: 'Olá 🕊',
  html: '<p>Olá</p><img src="cid:dove">',
  text: 'Olá',
  headers: { 'X-Order': '42' },
  attachments: [
    { filename: 'dove.png', contentType: 'image/png', content: 'iVBORw0KGgo=', contentId: 'dove' },
    { filename: 'all.bin', contentType: 'application/octet-stream', content: Buffer.alloc(3000, 7).toString('base64') },
  ],
  unsubscribe: { url: 'https://acme.example/no', mailto: 'no@acme.example' as EmailAddress },
}

const SIMULATORS: readonly (readonly [string, (t: Parameters<typeof setUp>[0]) => Promise<Simulator>])[] = [
  ['in process', async (t) => (await setUp(t)).simulator],
  ['over HTTP', async (t) => (await setUpRemote(t)).remote],
]

for (const [where, open] of SIMULATORS) {
  test(`a simulator ${where} stores the content and the source of a mail`, async (t) => {
    const simulator = await open(t)
    const attempt = mailTo('Ada@example.com', FULL)
    assert.ok(simulator.capabilities.channels.includes('email'))
    assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'accepted')

    const mail = await simulator.mail({ tenantId: TENANT, attemptId: attempt.id })
    assert.ok(mail)
    assert.deepEqual([mail.to, mail.from, mail.messageId], ['Ada@example.com', FULL.from, attempt.ref.messageId])
    const { channel, kind, to, metadata, tags, ...content } = attempt.content
    assert.deepEqual(mail.letter, content)
    const parsed = await PostalMime.parse(mail.raw)
    assert.equal(parsed.subject, FULL.subject)
    assert.equal(parsed.text?.trim(), 'Olá')
    assert.deepEqual(
      parsed.cc?.map((box) => box.address),
      ['copy@example.com'],
    )
    assert.equal(parsed.headers.find(({ key }) => key === 'x-order')?.value, '42')
    assert.equal(parsed.attachments.length, 2)
    assert.doesNotMatch(Buffer.from(mail.raw).toString('latin1'), /hidden@/)
  })

  test(`the inbox of a simulator ${where} shows a mail once, with a preview`, async (t) => {
    const simulator = await open(t)
    const [full, bare] = [
      mailTo('ada@example.com', FULL),
      mailTo('ada@example.com', { html: '<p>Only <i>html</i></p>' }),
    ]
    for (const attempt of [full, bare]) await simulator.send(attempt, NEVER_ABORTED)
    await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)
    const query = { tenantId: TENANT, limit: 10 }
    const items = await simulator.inbox({ ...query, to: 'ada@example.com' })
    assert.deepEqual(
      items.map(({ channel, from, subject, body }) => [channel, from, subject, body]),
      [
        ['email', 'pombo@sim.pombo.test', bare.content.subject, 'Only html'],
        ['email', 'news@acme.example', FULL.subject, 'Olá'],
      ],
    )
    for (const to of ['copy@example.com', 'hidden@example.com']) assert.deepEqual(await received(simulator, to), [])
    const all = await simulator.inbox(query)
    assert.deepEqual(all.map(({ channel }) => channel).toSorted(), ['email', 'email', 'sms'])
  })

  test(`a simulator ${where} shows mails of one tenant only`, async (t) => {
    const simulator = await open(t)
    const [attempt, sms] = [mailTo('ada@example.com'), attemptTo('+4712345678')]
    await simulator.send(attempt, NEVER_ABORTED)
    await simulator.send(sms, NEVER_ABORTED)
    const find = (attemptId: string, tenantId = TENANT) => simulator.mail({ tenantId, attemptId })
    assert.ok(await find(attempt.id))
    assert.equal(await find(attempt.id, 'other' as TenantId), undefined)
    for (const id of [sms.id, 'never was', '', `${TENANT}/ada@example.com`]) assert.equal(await find(id), undefined)
  })
}

test('a mail of the maximum size is sent over HTTP and read back', async (t) => {
  const { remote } = await setUpRemote(t)
  const bytes = Buffer.alloc(5 * 1024 * 1024, 'pombo')
  const file = { filename: 'a.bin', contentType: 'application/octet-stream', content: bytes.toString('base64') }
  const attempt = mailTo('ada@example.com', { html: 'x'.repeat(500_000), attachments: [file] })
  assert.equal(summary(await remote.send(attempt, AbortSignal.timeout(60_000))), 'accepted')
  const mail = await remote.mail({ tenantId: TENANT, attemptId: attempt.id })
  assert.equal(mail?.letter.attachments?.[0]?.content, file.content)
  assert.ok((mail?.raw.length ?? 0) > bytes.length)
})

test('of a mail that arrived over SMTP the source and its files are shown', async (t) => {
  const part = [
    '--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename=a.csv',
    '',
    'x,y',
    '--b--',
    '',
  ]
  const lines = ['From: a@b.example', 'Content-Type: multipart/mixed; boundary=b', '', ...part].join('\r\n')
  const attachments = [{ filename: 'a.csv', contentType: 'text/csv', size: 5 }]
  const source = { raw: Buffer.from(lines).toString('base64'), attachments }
  const [local, { remote }] = [await setUp(t), await setUpRemote(t)]
  for (const simulator of [local.simulator, remote]) {
    const attempt = mailTo('ada@example.com', { source, html: '' })
    await simulator.send(attempt, NEVER_ABORTED)
    const mail = await simulator.mail({ tenantId: TENANT, attemptId: attempt.id })
    assert.ok(
      Buffer.from(mail?.raw ?? [])
        .toString()
        .endsWith(lines),
    )
    const [file, ...others] = mail?.letter.attachments ?? []
    assert.deepEqual([file?.filename, file?.contentType, others], ['a.csv', 'text/csv', []])
    assert.equal(
      Buffer.from(file?.content ?? '', 'base64')
        .toString()
        .trim(),
      'x,y',
    )
  }
})

test('bounces and complaints are suppressions, in receipts and lookups', async (t) => {
  const [local, remote] = [await setUp(t), await setUpRemote(t)]
  for (const [simulator, receipts] of [
    [local.simulator, local.receipts],
    [remote.remote, remote.callbacks.receipts],
  ] as const) {
    const [bounce, complaint] = [mailTo('bounce+1@sim.pombo.test'), mailTo('complaint@sim.pombo.test')]
    for (const attempt of [bounce, complaint]) await simulator.send(attempt, NEVER_ABORTED)
    await until('three receipts', () => receipts().length >= 3)
    const reported = receipts().map(({ ref, state, code, suppresses }) => [ref.messageId, state, code, suppresses])
    assert.deepEqual(reported.slice(0, 2), [
      [bounce.ref.messageId, 'bounced', 'HARD_BOUNCE', 'hard_bounce'],
      [complaint.ref.messageId, 'delivered', undefined, undefined],
    ])
    assert.deepEqual(reported[2], [complaint.ref.messageId, 'complaint', 'COMPLAINT', 'complaint'])
    const found = await simulator.lookup(complaint.ref, complaint.id)
    assert.equal(found.kind === 'found' && found.receipt.suppresses, 'complaint')
  }
})

test('a mail and its pending receipts survive a restart', async (t) => {
  const first = await setUp(t, { receiptDelay: millis(200) })
  const attempt = mailTo('bounce@sim.pombo.test', FULL)
  await first.simulator.send(attempt, NEVER_ABORTED)
  await first.simulator[Symbol.asyncDispose]()
  const second = await setUp(t, { path: first.path })
  await second.has(1)
  assert.equal(second.receipts()[0]?.suppresses, 'hard_bounce')
  const mail = await second.simulator.mail({ tenantId: TENANT, attemptId: attempt.id })
  assert.equal(mail?.letter.subject, FULL.subject)
})

test('receives a mail completely or not at all', async (t) => {
  const { simulator, path } = await setUp(t)
  using other = new DatabaseSync(path)
  other.exec("create trigger no_room before insert on mails begin select raise(fail, 'no room'); end")
  const attempts = [mailTo('ada@example.com'), attemptTo('+4712345678')]
  const outcomes = await Promise.all(attempts.map((attempt) => simulator.send(attempt, NEVER_ABORTED)))
  assert.equal(summary(outcomes[0] ?? { kind: 'accepted', providerMessageId: '' }), 'deferred SIMULATOR_UNAVAILABLE')
  assert.ok(!(await received(simulator)).includes(attempts[0]?.id ?? ''))
})

test('refuses a mail that was reported as absent while it was composed', async (t) => {
  const { simulator } = await setUp(t)
  const attempt = mailTo('ada@example.com', FULL)
  const sending = simulator.send(attempt, NEVER_ABORTED)
  assert.deepEqual(await simulator.lookup(attempt.ref, attempt.id), { kind: 'absent' })
  assert.equal(summary(await sending), 'deferred TOO_LATE')
  assert.deepEqual(await received(simulator), [])
})

test('does not receive a mail that was aborted while it was composed', async (t) => {
  const { simulator } = await setUp(t, { slow: seconds(60) })
  const abort = new AbortController()
  const sending = simulator.send(mailTo('ada@example.com', FULL), abort.signal)
  abort.abort()
  assert.equal(summary(await sending), 'deferred ABORTED')
  assert.deepEqual(await received(simulator), [])
})
