import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NatsConnection } from '@nats-io/transport-node'
import { takeOver } from './driver-internals.ts'

const accept = (driver: object) => takeOver(driver as NatsConnection)
const known = () => ({ sendCommand() {}, push() {}, parser: { state: 0, parse() {} } })

test('a driver that lacks something we use is refused', () => {
  assert.doesNotThrow(() => accept({ protocol: known() }))
  for (const name of ['sendCommand', 'push', 'parser']) {
    assert.throws(() => accept({ protocol: { ...known(), [name]: undefined } }), /install the one that package\.json/)
  }
  assert.throws(() => accept({}), /unknown version/)
})

test('every parser that the driver makes gets the pieces that we leave to it', () => {
  const protocol = known()
  accept({ protocol })
  for (const round of [1, 2]) {
    const pieces: string[] = []
    const parse = (piece: Uint8Array) => void pieces.push(Buffer.from(piece).toString())
    Object.assign(protocol, { parser: { state: 0, parse } })
    ;(protocol.parser as { parse(piece: Uint8Array): void }).parse(Buffer.from(`MSG a ${round} 1\r\nx\r\nPING\r\n`))
    assert.deepEqual(pieces, ['PING\r\n'])
  }
})
