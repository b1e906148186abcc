import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containedIn, networkWithin, parseNetwork, parseNetworks } from './networks.ts'

test('parses networks with a prefix and single addresses', () => {
  assert.deepEqual(parseNetworks('10.0.0.0/8, fd00::/8,127.0.0.1'), ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'])
  assert.deepEqual(parseNetworks('::1'), ['::1/128'])
  assert.deepEqual(parseNetworks(''), [])
  assert.equal(parseNetwork('10.0.0.0/8'), '10.0.0.0/8')
  for (const text of [
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/8 fd00::/8',
    'fe80::1%eth0',
  ]) {
    assert.equal(parseNetworks(text), undefined, text)
    assert.equal(parseNetwork(text), undefined, text)
  }
})

test('an address is in a network of its family, also an IPv4 address written as IPv6', () => {
  const isInside = containedIn(['10.1.0.0/16', '192.0.2.7/32', 'fd00::/8'])
  for (const address of ['10.1.0.0', '10.1.255.255', '192.0.2.7', 'fd12::1', '::ffff:10.1.2.3']) {
    assert.equal(isInside(address), true, address)
  }
  for (const address of ['10.2.0.0', '192.0.2.8', 'fe80::1', '::1', '::ffff:10.2.2.3']) {
    assert.equal(isInside(address), false, address)
  }
})

test('a text that is no address is in no network', () => {
  const isInside = containedIn(['0.0.0.0/0', '::/0'])
  assert.equal(isInside('203.0.113.9'), true)
  for (const text of ['', 'unknown', '10.0.0.1:443', '10.0.0', '10.0.0.1, 10.0.0.2']) {
    assert.equal(isInside(text), false, text)
  }
  assert.equal(containedIn([])('10.0.0.1'), false)
})

test('a network is within another of its family that is as wide or wider', () => {
  const isWithin = networkWithin(['10.1.0.0/16', '192.0.2.7/32', 'fd00::/8'])
  for (const network of ['10.1.0.0/16', '10.1.2.0/24', '10.1.2.3/16', '10.1.2.3/32', '192.0.2.7/32', 'fd12::/16']) {
    assert.equal(isWithin(network), true, network)
  }
  for (const network of ['10.0.0.0/8', '10.1.0.0/15', '10.2.0.0/24', '192.0.2.6/31', '0.0.0.0/0', '::/0', 'fc00::/7']) {
    assert.equal(isWithin(network), false, network)
  }
  assert.equal(networkWithin(['::/0'])('10.0.0.0/8'), false)
  assert.equal(networkWithin([])('10.0.0.1/32'), false)
})
