import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, seconds } from '../../lib/time.ts'
import { endOf, extendedEnd } from './session.ts'

const NOON = instant(1_000_000_000)
const LIFETIMES = { absolute: seconds(12 * 3_600), idle: seconds(3_600) }
const at = (minutes: number) => later(NOON, seconds(minutes * 60))

test('a session ends when it was idle, and at the latest after its absolute lifetime', () => {
  assert.equal(endOf(NOON, NOON, LIFETIMES), at(60))
  assert.equal(endOf(NOON, at(30), LIFETIMES), at(90))
  assert.equal(endOf(NOON, at(11.5 * 60), LIFETIMES), at(12 * 60))
})

test('use moves the end, but not for every call', () => {
  const session = { createdAt: NOON, expiresAt: at(60) }
  assert.equal(extendedEnd(session, later(NOON, seconds(59)), LIFETIMES), undefined)
  assert.equal(extendedEnd(session, at(1), LIFETIMES), at(61))
  assert.equal(extendedEnd({ createdAt: NOON, expiresAt: at(12 * 60) }, at(11.9 * 60), LIFETIMES), undefined)
})
