import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { instant } from '../../lib/time.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import { ConcatenationReferences } from './concatenation-references.ts'
import { type Style, toSubmits } from './submit.ts'

const STYLE: Style = { longMessages: 'udh', alphabet: 'gsm7', serviceType: '' }

function submitOf(style: Style, from?: string) {
  const attempt = someAttempt({ content: from === undefined ? {} : { from: from as SenderId } })
  const submits = toSubmits(style, attempt, instant(0), new ConcatenationReferences(() => 0))
  return 'kind' in submits ? submits : submits[0]
}

function sourceOf(style: Style, from?: string) {
  const submit = submitOf(style, from)
  assert.ok(submit !== undefined && !('kind' in submit))
  return [submit.source_addr, submit.source_addr_ton, submit.source_addr_npi]
}

for (const [what, from, source] of [
  ['a number', '+5511987654321', ['5511987654321', 1, 1]],
  ['a number without a plus', '5511987654321', ['5511987654321', 1, 1]],
  ['a short code', '28345', ['28345', 3, 0]],
  ['a name', 'Pombo 24', ['Pombo 24', 5, 0]],
  ['no sender', undefined, ['', 0, 0]],
] as const) {
  test(`sets the type of number for ${what}`, () => assert.deepEqual(sourceOf(STYLE, from), source))
}

test('uses the configured sender for messages without one', () => {
  const style = { ...STYLE, sender: '28345' }
  assert.deepEqual([sourceOf(style)[0], sourceOf(style, 'Pombo')[0]], ['28345', 'Pombo'])
})

test('the settings override the detected type of number', () => {
  const style = { ...STYLE, sourceTon: 6, sourceNpi: 9, destTon: 2, destNpi: 8, serviceType: 'OTP' }
  assert.deepEqual(sourceOf(style, 'Pombo'), ['Pombo', 6, 9])
  const submit = submitOf(style)
  assert.ok(submit !== undefined && !('kind' in submit))
  assert.deepEqual([submit.dest_addr_ton, submit.dest_addr_npi, submit.service_type], [2, 8, 'OTP'])
})

test('leaves a sender that is not ASCII to another provider', () => {
  for (const sender of ['Ação', 'Pombo®']) {
    const refused = submitOf(STYLE, sender)
    assert.ok(refused !== undefined && 'kind' in refused && refused.blame === 'provider', sender)
  }
})
