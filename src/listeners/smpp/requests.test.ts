import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toOctets } from '../../providers/smpp/pdu.ts'
import { numberOf, Unreadable } from './octet-reader.ts'
import { HEAD_OCTETS, TAGS } from './pdu.ts'
import { readBind, readData, readMulti, readReference, readSubmit } from './requests.ts'

const FIELDS = {
  service_type: '',
  source_addr_ton: 5,
  source_addr_npi: 0,
  source_addr: 'Acme',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '15550001111',
  esm_class: 0,
  validity_period: '000000000500000R',
  registered_delivery: 1,
  data_coding: 8,
  short_message: Buffer.from('octets'),
  sar_msg_ref_num: 513,
  sar_total_segments: 2,
  sar_segment_seqnum: 1,
}

test('reads what our own client writes', () => {
  const request = readSubmit(toOctets('submit_sm', 1, 0, FIELDS))
  const { octets, optionals, ...fields } = request
  assert.deepEqual(fields, {
    source: { ton: 5, npi: 0, address: 'Acme' },
    destination: { ton: 1, npi: 1, address: '15550001111' },
    esmClass: 0,
    priority: 0,
    schedule: '',
    validity: '000000000500000R',
    registered: 1,
    coding: 8,
    defaultMessage: 0,
  })
  assert.equal(String(octets), 'octets')
  assert.deepEqual(
    [numberOf(optionals, TAGS.sar_msg_ref_num, 2), numberOf(optionals, TAGS.sar_total_segments, 1)],
    [513, 2],
  )
  assert.equal(numberOf(optionals, TAGS.sar_total_segments, 2), undefined)
})

test('reads a bind', () => {
  const login = { system_id: 'c3kj6s5wv9as', password: 'a'.repeat(40), system_type: '', interface_version: 0x34 }
  const bind = readBind(toOctets('bind_transceiver', 1, 0, login))
  assert.deepEqual([bind.systemId, bind.password, bind.version], [login.system_id, login.password, 0x34])
})

test('a text in both short_message and message_payload is refused', () => {
  const both = toOctets('submit_sm', 1, 0, { ...FIELDS, message_payload: Buffer.from('more') })
  assert.throws(() => readSubmit(both), Unreadable)
})

test('every request that is cut off is unreadable, and no octets make a reader fail otherwise', () => {
  const readers = [readBind, readSubmit, readData, readMulti, readReference]
  const whole = toOctets('submit_sm', 1, 0, FIELDS)
  const mandatory = HEAD_OCTETS + 46
  for (let length = HEAD_OCTETS; length < mandatory; length += 1) {
    assert.throws(() => readSubmit(whole.subarray(0, length)), Unreadable, `${length} octets`)
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...readers), (body, read) => {
      try {
        read(Buffer.concat([Buffer.alloc(HEAD_OCTETS), body]))
      } catch (error) {
        assert.ok(error instanceof Unreadable)
      }
    }),
  )
})
