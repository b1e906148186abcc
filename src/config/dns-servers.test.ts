import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDnsLookup } from '../engines/dns/dns-lookup.ts'
import { dnsServersOf, parseDnsServers } from './dns-servers.ts'

test('reads addresses with and without a port, as the resolver takes them', () => {
  const text = '192.0.2.53, 127.0.0.1:5353,2001:db8::53 , [::1]:5353'
  const servers = ['192.0.2.53', '127.0.0.1:5353', '2001:db8::53', '[::1]:5353']
  assert.deepEqual(parseDnsServers(text), servers)
  assert.deepEqual(dnsServersOf({ dnsServers: text }), servers)
  assert.deepEqual(dnsServersOf({}), [])
  assert.ok(openDnsLookup({ servers }))
})

test('refuses names, ports out of range and anything incomplete', () => {
  for (const text of [
    'dns.example',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '192.0.2',
    '::1:',
    '[::1]',
    '',
    '192.0.2.53,',
  ]) {
    assert.equal(parseDnsServers(text), undefined, text)
  }
})
