import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { instant } from '../../lib/time.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import { References } from './references.ts'
import { type Style, toSubmits } from './submit.ts'

const STYLE: Style = { longMessages: 'udh', alphabet: 'gsm7', serviceType: '' }

function submitOf(style: Style, from?: string) {
  const attempt = someAttempt({ content: from === undefined ? {} : { from: from as SenderId } })
  const submits = toSubmits(style, attempt, instant(0), new References(() => 0))
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
  ['nobody', undefined, ['', 0, 0]],
] as const) {
  test(`${what} is sent from with its type of number`, () => assert.deepEqual(sourceOf(STYLE, from), source))
}

test('the sender of the settings is for messages that name none', () => {
  const style = { ...STYLE, sender: '28345' }
  assert.deepEqual([sourceOf(style)[0], sourceOf(style, 'Pombo')[0]], ['28345', 'Pombo'])
})

test('the settings overrule what addresses look like', () => {
  const style = { ...STYLE, sourceTon: 6, sourceNpi: 9, destTon: 2, destNpi: 8, serviceType: 'OTP' }
  assert.deepEqual(sourceOf(style, 'Pombo'), ['Pombo', 6, 9])
  const submit = submitOf(style)
  assert.ok(submit !== undefined && !('kind' in submit))
  assert.deepEqual([submit.dest_addr_ton, submit.dest_addr_npi, submit.service_type], [2, 8, 'OTP'])
})

test('a sender that SMPP cannot write is for another provider', () => {
  for (const sender of ['Ação', 'Pombo®']) {
    const refused = submitOf(STYLE, sender)
    assert.ok(refused !== undefined && 'kind' in refused && refused.blame === 'provider', sender)
  }
})
