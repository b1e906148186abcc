import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from './concatenation.ts'
import { TAGS } from './pdu.ts'

const UDHI = 0x40
const TEXT = [0x68, 0x69]
const withHeader = (...header: readonly number[]) => ({
  esmClass: UDHI,
  octets: Buffer.of(header.length, ...header, ...TEXT),
  optionals: new Map(),
})
const withSar = (values: Readonly<Record<number, readonly number[]>>) => ({
  esmClass: 0,
  octets: Buffer.from(TEXT),
  optionals: new Map(Object.entries(values).map(([tag, octets]) => [Number(tag), Buffer.from(octets)])),
})
const SAR = { [TAGS.sar_msg_ref_num]: [1, 2], [TAGS.sar_total_segments]: [3], [TAGS.sar_segment_seqnum]: [2] }

for (const [name, request, part] of [
  ['an 8-bit reference', withHeader(0, 3, 0xaa, 4, 2), { reference: '1 170', total: 4, number: 2 }],
  ['a 16-bit reference', withHeader(8, 4, 1, 0, 4, 2), { reference: '2 256', total: 4, number: 2 }],
  ['sar parameters', withSar(SAR), { reference: 'sar 258', total: 3, number: 2 }],
  ['no header', withSar({}), undefined],
  ['the only part', withHeader(0, 3, 0xaa, 1, 1), undefined],
  ['an empty header', withHeader(), undefined],
] as const) {
  test(`${name} is understood`, () => {
    const unwrapped = unwrap(request)
    assert.deepEqual(unwrapped?.part, part)
    assert.deepEqual([...(unwrapped?.octets ?? [])], TEXT)
  })
}

for (const [name, request] of [
  ['a part beyond the last', withHeader(0, 3, 0xaa, 2, 3)],
  ['the part 0', withHeader(0, 3, 0xaa, 2, 0)],
  ['a reference of three octets', withHeader(0, 5, 1, 2, 3, 2, 1)],
  ['another element', withHeader(5, 4, 1, 2, 3, 4)],
  ['an element that is longer than the header', withHeader(0, 30, 0xaa, 2, 1)],
  ['half an element', withHeader(0)],
  ['a header that is longer than the message', { ...withHeader(), octets: Buffer.of(9, 0, 3) }],
  ['a header without a message', { ...withHeader(), octets: Buffer.alloc(0) }],
  ['some of the sar parameters', withSar({ ...SAR, [TAGS.sar_total_segments]: [] })],
] as const) {
  test(`${name} is refused`, () => assert.equal(unwrap(request), undefined))
}
