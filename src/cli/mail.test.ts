/** The commands that send and show email, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, refuseWith, run } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'
const ADDRESS = 'ann@example.com'
const HTML = '<p>Hello</p>\n'
const FILE = { readFile: (path: string) => (path === 'hello.html' ? HTML : unreadable(path)) }
const SEND_EMAIL = ['send', '--to', ADDRESS, '--subject', 'Hello', '--html', 'hello.html']
const accepted = () => ({ id: ID, status: 'accepted' })

const unreadable = (path: string): never => {
  throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
}

const message = {
  id: ID,
  channel: 'email',
  status: 'delivered',
  to: 'a***@example.com',
  subject: 'Hello\u001b[2J',
  provider: 'ses',
  attempts: 2,
  cycle: 1,
  segments: 1,
  error_code: null,
  created_at: '2030-01-31T12:00:00.000Z',
  events: [
    { event_type: 'MessageCreated', at: '2030-01-31T12:00:00.000Z', payload: { status: 'queued' } },
    {
      event_type: 'MessageValidated',
      at: '2030-01-31T12:00:00.004Z',
      payload: { checks: ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'], others: [], more: {} },
    },
    {
      event_type: 'RetryScheduled',
      at: '2030-01-31T12:00:01.004Z',
      payload: { attempt: 1, code: 'SES_DAILY_QUOTA_EXCEEDED', uncounted: true },
    },
  ],
}

describe('send, to an email address', () => {
  test('sends an email with the HTML of the file and prints the id', async () => {
    await using gateway = await openTestGateway(accepted)
    const argv = [...SEND_EMAIL, '--text', 'Hello', '--from', 'Acme <no-reply@acme.example>', '--key', 'k1']
    assert.deepEqual(await run(argv, { ...gateway, ...FILE }), { code: 0, out: `${ID}\n`, err: '' })
    const [request] = gateway.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v1/email/send'])
    const from = 'Acme <no-reply@acme.example>'
    assert.deepEqual(request?.body, { to: ADDRESS, subject: 'Hello', html: HTML, text: 'Hello', from })
    assert.equal(request?.headers['idempotency-key'], 'k1')
  })

  test('reads the HTML from standard input with --html -', async () => {
    await using gateway = await openTestGateway(accepted)
    const readInput = async () => '<p>piped</p>'
    const argv = ['send', '--email', '--to', ADDRESS, '--subject', 'Hello', '--html', '-']
    assert.equal((await run(argv, { ...gateway, readInput })).code, 0)
    assert.deepEqual(gateway.requests[0]?.body, { to: ADDRESS, subject: 'Hello', html: '<p>piped</p>' })
  })

  test('sends nothing when the file cannot be read', async () => {
    await using gateway = await openTestGateway(accepted)
    const argv = ['send', '--to', ADDRESS, '--subject', 'Hello', '--html', 'none.html']
    const { code, err } = await run(argv, { ...gateway, ...FILE })
    assert.deepEqual([code, err], [1, 'pombo: cannot read the file of --html (ENOENT)\n'])
    assert.equal(gateway.requests.length, 0)
  })

  test('follows the email until it is delivered with --wait', async () => {
    const answers: unknown[] = [accepted(), message]
    await using gateway = await openTestGateway(() => answers.shift())
    const { code, out } = await run([...SEND_EMAIL, '--wait'], { ...gateway, ...FILE })
    assert.equal(code, 0)
    assert.deepEqual(
      gateway.requests.map(({ path }) => path),
      ['/v1/email/send', `/v1/email/${ID}`],
    )
    assert.match(out, /\+4 ms {2}MessageValidated {2}checks INTEGRITY, RECIPIENT, TEMPLATE\n/)
  })

  test('never prints the address, the subject or the body', async () => {
    await using gateway = await openTestGateway(refuseWith(422, 'an address of this mail gets no more mail'))
    const { code, out, err } = await run(SEND_EMAIL, { ...gateway, ...FILE })
    assert.equal(code, 1)
    assert.equal(`${out}${err}`, 'pombo: the gateway answered 422: an address of this mail gets no more mail\n')
  })
})

describe('show, of an email', () => {
  test('shows the subject and the checks, and no parts', async () => {
    await using gateway = await openTestGateway(() => message)
    assert.deepEqual((await run(['show', ID], gateway)).out.split('\n'), [
      `${ID}  delivered`,
      'to a***@example.com · 2030-01-31 12:00:00Z',
      'subject Hello',
      'ses · email · 2 attempts · 1 cycle',
      '',
      '12:00:00.000Z  ● MessageCreated',
      '               │ 4 ms',
      '12:00:00.004Z  ● MessageValidated  checks INTEGRITY, RECIPIENT, TEMPLATE',
      '               │ 1.0 s',
      '12:00:01.004Z  ● RetryScheduled  attempt 1 · code SES_DAILY_QUOTA_EXCEEDED · uncounted',
      '',
    ])
  })

  test('omits a missing subject', async () => {
    await using gateway = await openTestGateway(() => ({ ...message, subject: null }))
    assert.ok(!(await run(['show', ID], gateway)).out.includes('subject'))
  })
})

test('search lists emails with a masked address', async () => {
  await using gateway = await openTestGateway(() => ({ items: [message] }))
  const { out } = await run(['search', '--channel', 'email', '--to', ADDRESS], gateway)
  assert.match(out, new RegExp(`delivered  ${ID}  a\\*{3}@example.com  ses +2\n$`))
  assert.deepEqual(gateway.requests[0]?.query.get('to'), ADDRESS)
})
