/** The commands that call a gateway, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, openTestGateway, refuseWith, run } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'
const NUMBER = '+15005550100'
const at = (second: string): string => `2030-01-31T12:00:${second}Z`

const STEPS = [
  { event_type: 'MessageCreated', at: at('00.000'), payload: { status: 'queued', cycle: 1, attempt: 0 } },
  {
    event_type: 'HandoffAttempted',
    at: at('00.012'),
    payload: { attempt: 1, attempt_id: 'x', provider: 'simulator', route_id: 'default' },
  },
  { event_type: 'HandoffAccepted', at: at('01.512'), payload: { attempt: 1, by: 'answer' } },
  { event_type: 'ProviderDelivered', at: '2030-01-31T12:02:06.512Z', payload: { attempt: 1 } },
]
const message = (status: string, steps = STEPS.length) => ({
  id: ID,
  status,
  to: '+*******0100',
  provider: 'simulator',
  attempts: 1,
  cycle: 1,
  segments: 2,
  error_code: null,
  created_at: at('00.000'),
  events: STEPS.slice(0, steps),
})

describe('send', () => {
  const accepted: Answer = () => ({ id: ID, status: 'accepted' })

  test('sends an SMS with all options and prints the id', async () => {
    await using gateway = await openTestGateway(accepted)
    const argv = ['send', '--to', NUMBER, '--message', 'hi', '--from', 'Pombo', '--flash', '--key', 'k1']
    assert.deepEqual(await run(argv, gateway), { code: 0, out: `${ID}\n`, err: '' })
    const [request] = gateway.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v1/sms/send'])
    assert.deepEqual(request?.body, { to: NUMBER, message: 'hi', sender_id: 'Pombo', type: 'flash_sms' })
    assert.equal(request?.headers.authorization, 'Bearer a-token')
    assert.equal(request?.headers['idempotency-key'], 'k1')
  })

  test('generates an idempotency key when none is given', async () => {
    await using gateway = await openTestGateway(accepted)
    for (const _ of [1, 2]) await run(['send', '--to', NUMBER, '--message', 'hi', '--json'], gateway)
    const keys = gateway.requests.map(({ headers }) => headers['idempotency-key'])
    assert.equal(new Set(keys).size, 2)
  })

  const followed = (...answers: unknown[]): Answer => {
    const queue = [{ id: ID }, ...answers]
    return () => (queue.length > 1 ? queue.shift() : queue[0])
  }
  const waiting = ['send', '--to', NUMBER, '--message', 'hi', '--wait']

  test('shows each step once with --wait', async () => {
    await using gateway = await openTestGateway(
      followed(message('queued', 1), message('sent', 3), message('delivered')),
    )
    const { code, out } = await run(waiting, gateway)
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      ID,
      '12:00:00.000Z                MessageCreated',
      '12:00:00.012Z        +12 ms  HandoffAttempted  attempt 1 · provider simulator · route id default',
      '12:00:01.512Z        +1.5 s  HandoffAccepted  attempt 1 · by answer',
      '12:02:06.512Z    +2 min 5 s  ProviderDelivered  attempt 1',
      'delivered',
      '',
    ])
  })

  test('fails when the message does, or when it takes too long', async () => {
    await using failed = await openTestGateway(followed(message('failed', 2)))
    assert.equal((await run(waiting, failed)).code, 1)
    await using slow = await openTestGateway(followed(message('sending', 2)))
    const { code, err } = await run([...waiting, '--timeout', '2'], slow)
    assert.equal(code, 1)
    assert.equal(err, `pombo: ${ID} is still sending; check it again with \`pombo show\`\n`)
  })

  test('prints the last state with --wait --json', async () => {
    await using gateway = await openTestGateway(followed(message('delivered')))
    assert.equal(JSON.parse((await run([...waiting, '--json'], gateway)).out).status, 'delivered')
  })

  test('prints the reason of a refusal', async () => {
    await using gateway = await openTestGateway(refuseWith(400, '/message must not be empty'))
    const { code, err } = await run(['send', '--to', NUMBER, '--message', ' '], gateway)
    assert.deepEqual([code, err], [1, 'pombo: the gateway answered 400: /message must not be empty\n'])
  })

  test('never prints the number', async () => {
    await using gateway = await openTestGateway(refuseWith(503, 'try again'))
    const { code, out, err } = await run(['send', '--to', NUMBER, '--message', 'hi'], gateway)
    assert.equal(code, 69)
    assert(!`${out}${err}`.includes('5005550100'))
  })
})

describe('search', () => {
  test('passes the words and every filter to the gateway', async () => {
    await using gateway = await openTestGateway(() => ({ items: [], next_cursor: null }))
    const filters = [
      'status',
      'channel',
      'handoff-state',
      'provider-state',
      'provider',
      'to',
      'tag',
      'metadata',
      'provider-message-id',
      'template',
      'batch',
      'error-code',
      'lane',
    ]
    const times = ['created-from', 'created-to']
    const argv = [...filters, ...times].flatMap((name) => [`--${name}`, `+${name}`])
    const { out } = await run(['search', 'two', 'words', '--unknown', ...argv], gateway)
    assert.equal(out, 'no messages found\n')
    const sent = Object.fromEntries(gateway.requests[0]?.query ?? [])
    const named = [...filters, ...times].map((name) => [name.replaceAll('-', '_'), `+${name}`])
    assert.deepEqual(sent, { ...Object.fromEntries(named), unknown: 'true', q: 'two words', limit: '20' })
  })

  for (const [search, line] of [
    [{ found_by: 'idempotency_key', tried: ['message_id', 'idempotency_key'] }, 'found by idempotency key\n'],
    [{ found_by: null, tried: ['recipient', 'words'] }, 'not found by recipient, words\n'],
    [{ found_by: 'a\u001b[2Jb', tried: ['x'] }, 'found by ab\n'],
    [null, ''],
    [undefined, ''],
  ] as const) {
    test(`says what the text was taken for: ${line.trim() || 'nothing'} (${typeof search})`, async () => {
      const items = search?.found_by == null ? [] : [message('sent')]
      let page = 0
      await using gateway = await openTestGateway(() => {
        page += 1
        return { items, search, next_cursor: page === 1 && items.length > 0 ? 'more' : null }
      })
      for (const format of [[], ['--json']]) {
        page = 0
        const { code, out, err } = await run(['search', NUMBER, ...format], gateway)
        assert.deepEqual([code, err], [0, line])
        assert.ok(!out.includes('found by'))
      }
      assert.equal(gateway.requests[0]?.query.get('q'), NUMBER)
    })
  }

  test('prints a table', async () => {
    await using gateway = await openTestGateway(() => ({ items: [message('delivered'), message('sent')] }))
    assert.deepEqual((await run(['search'], gateway)).out.split('\n'), [
      `created               status     id                                    to            provider   attempts  error`,
      `2030-01-31 12:00:00Z  delivered  ${ID}  +*******0100  simulator  1`,
      `2030-01-31 12:00:00Z  sent       ${ID}  +*******0100  simulator  1`,
      '',
    ])
  })

  test('reads page after page up to the limit', async () => {
    await using gateway = await openTestGateway(({ query }) => ({
      items: Array.from({ length: Number(query.get('limit')) }, () => message('sent')),
      next_cursor: 'more',
    }))
    const { out } = await run(['search', '--limit', '450', '--json'], gateway)
    assert.equal(out.trim().split('\n').length, 450)
    assert.deepEqual(
      gateway.requests.map(({ query }) => [query.get('limit'), query.get('cursor')]),
      [
        ['200', null],
        ['200', 'more'],
        ['50', 'more'],
      ],
    )
  })
})

describe('show', () => {
  test('prints the timeline with the time between steps', async () => {
    await using gateway = await openTestGateway(() => message('delivered'))
    assert.deepEqual((await run(['show', ID.toUpperCase()], gateway)).out.split('\n'), [
      `${ID}  delivered`,
      'to +*******0100 · 2030-01-31 12:00:00Z',
      'simulator · 2 parts · 1 attempt · 1 cycle',
      '',
      '12:00:00.000Z  ● MessageCreated',
      '               │ 12 ms',
      '12:00:00.012Z  ● HandoffAttempted  attempt 1 · provider simulator · route id default',
      '               │ 1.5 s',
      '12:00:01.512Z  ● HandoffAccepted  attempt 1 · by answer',
      '               │ 2 min 5 s',
      '12:02:06.512Z  ● ProviderDelivered  attempt 1',
      '',
    ])
    assert.equal(gateway.requests[0]?.path, `/v1/messages/${ID}`)
  })

  test('says what the error means and what to do', async () => {
    const error = { meaning: 'The number is blocked.', advice: 'Do not retry.' }
    const failed = { ...message('failed'), error_code: 'NUMBER_BLOCKED', error_detail: 'blocked', error }
    await using gateway = await openTestGateway(() => failed)
    const lines = (await run(['show', ID], gateway)).out.split('\n')
    const at = lines.indexOf('NUMBER_BLOCKED: blocked')
    assert.deepEqual(lines.slice(at + 1, at + 3), [error.meaning, error.advice])
  })

  test('strips control characters from what the gateway returns', async () => {
    const crafted = { ...message('failed'), error_code: 'X', error_detail: 'a\u001b[2Jb\rc' }
    await using gateway = await openTestGateway(() => crafted)
    assert.match((await run(['show', ID], gateway)).out, /^X: ab c$/m)
  })

  test('uses colours on a terminal', async () => {
    await using gateway = await openTestGateway(() => message('delivered'))
    const painted: string[] = []
    const out = { write: (text: string) => void painted.push(text), isTerminal: true, hasColours: true }
    await run(['show', ID], { ...gateway, out })
    assert(painted.join('').includes('\u001b[32mdelivered'))
  })
})

describe('resend, resolve, erase and dlq', () => {
  const CALLS: readonly [argv: string[], call: string, out: string, answer: unknown, body?: unknown][] = [
    [['resend', ID], `POST /v1/messages/${ID}/resend`, `${ID} queued again\n`, { id: ID }],
    ...(
      [
        ['sent', 'resolved as sent'],
        ['not_sent', 'resolved as not sent and failed'],
        ['resend', 'queued again; it may arrive twice'],
      ] as const
    ).map(([as, result]): (typeof CALLS)[number] => [
      ['resolve', ID, '--as', as],
      `POST /v1/messages/${ID}/resolve`,
      `${ID} ${result}\n`,
      { id: ID },
      { as },
    ]),
    [['erase', ID], `POST /v1/messages/${ID}/erase`, '1 message erased\n', { id: ID, erased: true }],
    [['dlq', 'replay', ID], `POST /v1/dead-letters/${ID}/replay`, `${ID} queued again\n`, { id: ID }],
    [['dlq', 'list'], 'GET /v1/dead-letters', 'no dead letters\n', { items: [] }],
  ]
  for (const [argv, call, out, answer, body] of CALLS) {
    test(`pombo ${argv.slice(0, 2).join(' ')} calls ${call}`, async () => {
      await using gateway = await openTestGateway(() => answer)
      assert.deepEqual(await run(argv, gateway), { code: 0, out, err: '' })
      const [request] = gateway.requests
      assert.equal(`${request?.method} ${request?.path}`, call)
      assert.deepEqual(request?.body, body)
    })
  }

  test('resolve rejects a missing or wrong --as without calling the gateway', async () => {
    await using gateway = await openTestGateway(() => ({}))
    for (const [argv, message] of [
      [['resolve', ID], '--as is required'],
      [['resolve', ID, '--as', 'delivered'], '--as must be sent, not_sent or resend'],
    ] as const) {
      const { code, err } = await run([...argv], gateway)
      assert.equal(code, 2)
      assert.ok(err.startsWith(`pombo: ${message}\n`), err)
    }
    assert.equal(gateway.requests.length, 0)
  })

  test('prints the detail of a refusal', async () => {
    await using gateway = await openTestGateway(refuseWith(409, 'this message is still on its way'))
    const { code, err } = await run(['resend', ID], gateway)
    assert.deepEqual([code, err], [1, 'pombo: the gateway answered 409: this message is still on its way\n'])
  })

  test('dlq replay --all continues until no dead letter is left', async () => {
    const answers = [
      { replayed: 10, skipped: 1, rate_limited: 0, next_cursor: 'c1' },
      { replayed: 5, skipped: 0, rate_limited: 2, next_cursor: null },
    ]
    await using gateway = await openTestGateway(() => answers.shift())
    const { out } = await run(['dlq', 'replay', '--all'], gateway)
    assert.equal(
      out,
      '15 replayed, 1 skipped (erased, expired, replayed already, or from a sender that is no longer allowed), ' +
        '2 refused by limits (replay them later, or with --override-limits)\n',
    )
    assert.deepEqual(
      gateway.requests.map(({ body }) => body),
      [{}, { cursor: 'c1' }],
    )
  })

  for (const [argv, path] of [
    [['resend', ID], `/v1/messages/${ID}/resend`],
    [['dlq', 'replay', ID], `/v1/dead-letters/${ID}/replay`],
    [['dlq', 'replay', '--all'], '/v1/dead-letters/replay'],
  ] as const) {
    test(`pombo ${argv.join(' ')} overrides limits only with --override-limits`, async () => {
      await using gateway = await openTestGateway(() => ({ id: ID, next_cursor: null }))
      await run([...argv], gateway)
      await run([...argv, '--override-limits'], gateway)
      assert.deepEqual(
        gateway.requests.map((request) => [request.path, Object.fromEntries(request.query)]),
        [
          [path, {}],
          [path, { override_limits: 'true' }],
        ],
      )
    })
  }

  test('rejects an answer that is not JSON', async () => {
    await using gateway = await openTestGateway((_request, response) => void response.end('<html>'))
    assert.match((await run(['dlq', 'list'], gateway)).err, /is not a Pombo gateway; check --url/)
  })
})
