import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, refuseWith, run } from './test-world.ts'

const domain = (state = 'pending', ownership: string | null = null, dkim: string | null = null) => ({
  domain: 'acme.example',
  state,
  ownership: { type: 'TXT', name: '_pombo.acme.example', value: 'pombo-domain-verification=abc', status: ownership },
  dkim: { type: 'TXT', name: 'pombo1._domainkey.acme.example', value: 'v=DKIM1; k=rsa; p=MIIB', status: dkim },
  created_at: '2030-01-31T12:00:00.000Z',
  verified_at: null,
  last_checked_at: ownership === null ? null : '2030-01-31T12:00:01.000Z',
})

describe('domains', () => {
  test('add prints the records to publish, each value on a line of its own', async () => {
    await using gateway = await openTestGateway(() => domain())
    const { code, out } = await run(['domains', 'add', 'acme.example'], gateway)
    assert.equal(code, 0)
    assert.equal(
      out,
      'acme.example: added; publish these records, then run `pombo verify-domain acme.example`\n' +
        '\nownership  _pombo.acme.example  TXT\npombo-domain-verification=abc\n' +
        '\ndkim  pombo1._domainkey.acme.example  TXT\nv=DKIM1; k=rsa; p=MIIB\n',
    )
    const [request] = gateway.requests
    assert.deepEqual(
      [request?.method, request?.path, request?.body],
      ['POST', '/v1/domains', { domain: 'acme.example' }],
    )
  })

  test('list prints a line for each domain, show and --json print what the gateway said', async () => {
    await using gateway = await openTestGateway(({ path }) =>
      path === '/v1/domains' ? { items: [domain(), domain('verified', 'valid', 'missing')] } : domain(),
    )
    const { out } = await run(['domains', 'list'], gateway)
    assert.match(out, /^domain +state +ownership +dkim +last checked\nacme\.example +pending +– +– +–\n/)
    assert.match(out, /\nacme\.example +verified +valid +missing +2030-01-31 12:00:01Z\n$/)
    assert.match((await run(['domains', 'show', 'acme.example'], gateway)).out, /^acme\.example: pending\n\nownership/)
    const { out: json } = await run(['domains', 'show', 'acme.example', '--json'], gateway)
    assert.deepEqual(JSON.parse(json), domain())
    await using empty = await openTestGateway(() => ({ items: [] }))
    assert.equal((await run(['domains', 'list'], empty)).out, 'no domains\n')
  })

  for (const argv of [
    ['domains', 'verify', 'acme.example'],
    ['verify-domain', 'acme.example'],
  ]) {
    test(`${argv[0]} says what the DNS has, and fails unless the domain is verified`, async () => {
      for (const [answer, code, verdict] of [
        [domain('verified', 'valid', 'valid'), 0, 'verified; email by SMTP is signed with its DKIM key'],
        [
          domain('verified', 'valid', 'missing'),
          0,
          'verified; email is not signed with its DKIM key yet: that record is not in the DNS (yet)',
        ],
        [domain('pending', 'missing', 'missing'), 1, 'not verified: the ownership record is not in the DNS (yet)'],
        [domain('pending', 'mismatch', 'valid'), 1, 'not verified: the ownership record has another value'],
      ] as const) {
        await using gateway = await openTestGateway(() => answer)
        const ran = await run([...argv, '--tenant', 'acme'], gateway)
        assert.deepEqual([ran.code, ran.out.split('\n')[0]], [code, `acme.example: ${verdict}`])
        const [request] = gateway.requests
        assert.deepEqual([request?.method, request?.path], ['POST', '/v1/domains/acme.example/verify'])
        assert.equal(request?.headers['pombo-tenant'], 'acme')
      }
    })
  }

  test('remove deletes a domain', async () => {
    await using gateway = await openTestGateway((_, response) => {
      response.writeHead(204).end()
    })
    assert.equal((await run(['domains', 'remove', 'acme.example'], gateway)).out, 'acme.example removed\n')
    assert.deepEqual([gateway.requests[0]?.method, gateway.requests[0]?.path], ['DELETE', '/v1/domains/acme.example'])
  })

  test('repeats what the gateway refuses, and explains its usage', async () => {
    await using gateway = await openTestGateway(
      refuseWith(409, 'The domain acme.example is verified by another tenant'),
    )
    const { code, err } = await run(['verify-domain', 'acme.example'], gateway)
    assert.equal(code, 1)
    assert.match(err, /409: The domain acme\.example is verified by another tenant/)
    for (const argv of [
      ['domains'],
      ['domains', 'add'],
      ['domains', 'list', 'x'],
      ['domains', 'drop', 'x'],
      ['verify-domain'],
    ]) {
      assert.equal((await run(argv, gateway)).code, 2, argv.join(' '))
    }
  })
})
