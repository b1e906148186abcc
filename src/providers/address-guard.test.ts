import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressGuard, type Resolve } from './address-guard.ts'

const guard = addressGuard([])
const open = addressGuard(['127.0.0.0/8', 'fd00::/8', '10.1.2.3/32'])
const NOT_PUBLIC = 'the address is not a public IP address'

/** Resolves every name to these addresses. */
const resolving =
  (addresses: readonly string[]): Resolve =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

/** The addresses that a connection may use. */
function lookedUp(addresses: readonly string[], allowed: readonly string[] = []): Promise<string[]> {
  const { lookup } = addressGuard(allowed, resolving(addresses))
  return new Promise((resolve, reject) => {
    lookup('a.test', { all: true }, (error, found) => {
      if (error === null) resolve((found as LookupAddress[]).map(({ address }) => address))
      else reject(error)
    })
  })
}

for (const [what, addresses] of [
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  [
    'private',
    [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.100.100.200',
      'fc00::1',
      'fd00:ec2::254',
    ],
  ],
  ['link-local', ['169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['multicast or broadcast', ['224.0.0.1', '239.1.1.1', 'ff02::1', '255.255.255.255', '240.0.0.1']],
  [
    'for protocols, tests and documentation',
    [
      '192.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
    ],
  ],
  ['of a cloud', ['168.63.129.16']],
  ['mapped into IPv6', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1']],
  [
    'behind a translator',
    [
      '64:ff9b::7f00:1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2002:a00:1::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    ],
  ],
  ['invalid', ['', 'localhost', '1.2.3']],
] as const) {
  test(`refuses addresses that are ${what}`, async () => {
    for (const address of addresses) {
      await assert.rejects(lookedUp([address]), { code: 'ADDRESS_REFUSED' }, address)
    }
  })
}

test('allows public addresses, also through NAT64', async () => {
  const addresses = ['93.184.216.34', '172.32.0.1', '100.128.0.1', '11.0.0.1', '2a00:1450::1', '2606:4700::1111']
  assert.deepEqual(await lookedUp(addresses), addresses)
  assert.deepEqual(await lookedUp(['64:ff9b::5db8:d822', '::ffff:93.184.216.34']), [
    '64:ff9b::5db8:d822',
    '::ffff:93.184.216.34',
  ])
})

test('judges an IPv4 address the same in its IPv6 forms', async () => {
  const judge = (address: string): Promise<boolean> =>
    lookedUp([address]).then(
      () => true,
      () => false,
    )
  await fc.assert(
    fc.asyncProperty(fc.ipV4(), async (address) => {
      const verdict = await judge(address)
      assert.equal(await judge(`::ffff:${address}`), verdict)
      assert.equal(await judge(`64:ff9b::${address}`), verdict)
    }),
  )
})

test('uses only the allowed addresses of a host', async () => {
  assert.deepEqual(await lookedUp(['10.0.0.1', '93.184.216.34', '::1']), ['93.184.216.34'])
  const { lookup } = addressGuard([], resolving(['10.0.0.1', '93.184.216.34']))
  const found = await new Promise((resolve) => {
    lookup('a.test', {}, (error, address, family) => resolve([error, address, family]))
  })
  assert.deepEqual(found, [null, '93.184.216.34', 4])
})

test('passes on resolver errors', async () => {
  const failing = addressGuard([], (_name, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []),
  )
  const error = await new Promise((resolve) => failing.lookup('a.test', { all: true }, (error) => resolve(error)))
  assert.equal((error as NodeJS.ErrnoException).code, 'ENOTFOUND')
})

test('allows exactly the configured private networks', async () => {
  const allowed = ['127.0.0.0/8', '10.1.2.3/32', 'fd00::/8']
  assert.deepEqual(await lookedUp(['127.0.0.1', '10.1.2.3', '10.1.2.4', 'fd00::1', 'fc00::1'], allowed), [
    '127.0.0.1',
    '10.1.2.3',
    'fd00::1',
  ])
  assert.equal(open.refusalOf('http://127.0.0.1:8080/x'), undefined)
  assert.equal(open.refusalOf('http://[fd00::1]/'), undefined)
  assert.equal(open.refusalOf('http://10.1.2.4/'), NOT_PUBLIC)
})

test('checks a literal address in any notation', () => {
  for (const host of [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '017700000001', '127.0.0.1.'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]'],
    ...['0', '10.0.0.1', '169.254.169.254', '0xa9fea9fe', '１２７.0.0.1', '127。0。0。1'],
  ]) {
    assert.equal(guard.refusalOf(`http://${host}/`), NOT_PUBLIC, host)
    assert.equal(guard.refusalOf(`https://${host}:8443/path?query`), NOT_PUBLIC, host)
  }
  assert.equal(guard.refusalOf('https://93.184.216.34/'), undefined)
  assert.equal(guard.refusalOf('https://[2606:4700::1111]/'), undefined)
})

test('checks a host name only when it is resolved', () => {
  for (const host of ['example.com', 'localhost', '127.0.0.1.nip.io']) {
    assert.equal(guard.refusalOf(`https://${host}/`), undefined)
  }
})

test('refuses invalid URLs, other schemes, credentials and port 0', () => {
  for (const address of [
    ...['', 'example.com', '//example.com/', 'http://', 'http://999.1.1.1/', 'http://[fe80::1%25eth0]/'],
    ...['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'unix:/var/run/docker.sock'],
    ...['https://user:pass@example.com/', 'https://user@example.com/', 'https://:pass@example.com/'],
    ...['https://example.com:0/', 'http://example.com:00/'],
  ]) {
    assert.notEqual(guard.refusalOf(address), undefined, address)
    assert.notEqual(open.refusalOf(address), undefined, address)
  }
})
