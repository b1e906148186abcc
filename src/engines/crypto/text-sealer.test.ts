import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openTextSealer } from './text-sealer.ts'

const KEY = new Uint8Array(32).fill(7)

test('a sealed text opens in its context, and differs each time', () => {
  const sealer = openTextSealer(KEY, 'tests')
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (context, text) => {
      const sealed = sealer.seal(context, text)
      assert.equal(sealer.open(context, sealed), text)
      assert.notEqual(sealer.seal(context, text), sealed)
    }),
  )
})

test('opens in no other context, for no other purpose, with no other key, and only unchanged', () => {
  const sealed = openTextSealer(KEY, 'tests').seal('north', 'a text')
  const changed = Buffer.from(sealed, 'base64')
  changed[14] = (changed[14] ?? 0) ^ 1
  assert.throws(() => openTextSealer(KEY, 'tests').open('south', sealed))
  assert.throws(() => openTextSealer(KEY, 'others').open('north', sealed))
  assert.throws(() => openTextSealer(new Uint8Array(32), 'tests').open('north', sealed))
  for (const bad of [changed.toString('base64'), '', 'x']) {
    assert.throws(() => openTextSealer(KEY, 'tests').open('north', bad))
  }
  assert.throws(() => openTextSealer(new Uint8Array(16), 'tests'))
})
