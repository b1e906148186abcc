import assert from 'node:assert/strict'
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { openSealer } from './sealer.ts'

const MASTER = Buffer.alloc(32, 1)
const sealer = openSealer(MASTER)

const id = fc.uuid().map((text) => text as MessageId)
const plain = fc.uint8Array({ maxLength: 2_000 })
const ACME = 'acme' as TenantId
const PHONE = '+5511987654321' as PhoneNumber

/** The same bytes with one bit flipped. */
function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const index = (bit >> 3) % copy.length
  copy[index] = (copy[index] ?? 0) ^ (1 << (bit & 7))
  return copy
}

test('sealed content opens with its secret in another process with the same master key', () => {
  fc.assert(
    fc.property(id, plain, (id, plain) => {
      const { sealed, secret } = sealer.seal(id, plain)
      assert.deepEqual(Uint8Array.from(openSealer(MASTER).open(id, sealed, secret)), plain)
    }),
  )
})

test('detects any flipped bit of ciphertext and tag', () => {
  fc.assert(
    fc.property(id, plain, fc.nat(), (id, plain, bit) => {
      const { sealed, secret } = sealer.seal(id, plain)
      assert.throws(() => sealer.open(id, flipped(sealed, bit), secret))
    }),
  )
})

test('content opens only for its own message', () => {
  fc.assert(
    fc.property(id, id, plain, (id, other, plain) => {
      fc.pre(id !== other)
      const { sealed, secret } = sealer.seal(id, plain)
      assert.throws(() => sealer.open(other, sealed, secret))
    }),
  )
})

test('content opens only with its own secret', () => {
  fc.assert(
    fc.property(id, plain, fc.nat(), (id, plain, bit) => {
      const { sealed, secret } = sealer.seal(id, plain)
      assert.throws(() => sealer.open(id, sealed, flipped(secret, bit)))
      assert.throws(() => sealer.open(id, sealed, sealer.seal(id, plain).secret))
    }),
  )
})

test('a secret cannot borrow bytes from the id that follows it', () => {
  const { sealed, secret } = sealer.seal('abc' as MessageId, Buffer.from('hello'))
  assert.throws(() => sealer.open('bc' as MessageId, sealed, Buffer.concat([secret, Buffer.from('a')])), /32 bytes/)
})

test('content opens only under its own master key', () => {
  fc.assert(
    fc.property(id, plain, (id, plain) => {
      const { sealed, secret } = sealer.seal(id, plain)
      assert.throws(() => openSealer(Buffer.alloc(32, 2)).open(id, sealed, secret))
    }),
  )
})

test('truncated content does not open, however short', () => {
  const id = 'm' as MessageId
  const { sealed, secret } = sealer.seal(id, Buffer.from('hello'))
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => sealer.open(id, sealed.subarray(0, length), secret), `${length} bytes`)
  }
})

test('sealed content is ciphertext and a 16-byte tag, and reveals nothing of the plain text', () => {
  const text = Buffer.from('your code is 123456')
  const { sealed, secret } = sealer.seal('m' as MessageId, text)
  assert.equal(sealed.length, text.length + 16)
  assert.equal(secret.length, 32)
  assert.ok(!Buffer.from(sealed).includes(text.subarray(0, 4)))
})

test('sealing the same text again uses a new secret and gives different bytes', () => {
  const seals = Array.from({ length: 1_000 }, () => sealer.seal('m' as MessageId, Buffer.from('hello')))
  assert.equal(new Set(seals.map(({ secret }) => Buffer.from(secret).toString('hex'))).size, seals.length)
  assert.equal(new Set(seals.map(({ sealed }) => Buffer.from(sealed).toString('hex'))).size, seals.length)
})

test('refuses a master key of the wrong length', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => openSealer(Buffer.alloc(length)), /32 bytes/)
})

/** Stored content must open in every later release, so this spells out the format with Node's own primitives. */
const hmac = (label: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const keyed = createHmac('sha256', Buffer.from(hkdfSync('sha256', MASTER, '', label, 32)))
  return parts.reduce<typeof keyed>((keyed, part) => keyed.update(part), keyed).digest()
}

test('the stored format is AES-256-GCM with a zero IV, bound to the message by key and header', () => {
  fc.assert(
    fc.property(id, plain, (id, plain) => {
      const { sealed, secret } = sealer.seal(id, plain)
      const decipher = createDecipheriv('aes-256-gcm', hmac('pombo seal v1', secret, id), Buffer.alloc(12))
      decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-16))
      const opened = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      assert.deepEqual(Uint8Array.from(opened), plain)
    }),
  )
})

test('a blinded recipient is the keyed hash of tenant, NUL and recipient, in any case', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  fc.assert(
    fc.property(text, text, (tenant, recipient) => {
      const expected = hmac('pombo blind v1', tenant, '\0', recipient.toLowerCase())
        .subarray(0, 16)
        .toString('base64url')
      assert.equal(sealer.blind(tenant as TenantId, recipient as PhoneNumber), expected)
    }),
  )
})

test('a recipient has the same blinded key per tenant in every process with the same master key', () => {
  assert.equal(sealer.blind(ACME, PHONE), openSealer(MASTER).blind(ACME, PHONE))
  assert.match(sealer.blind(ACME, PHONE), /^[\w-]{22}$/)
})

test('a blinded recipient differs by recipient, tenant and master key', () => {
  const blinded = [
    sealer.blind(ACME, PHONE),
    sealer.blind(ACME, '+5511987654322' as PhoneNumber),
    sealer.blind(ACME, 'ana@example.com' as EmailAddress),
    sealer.blind('other' as TenantId, PHONE),
    sealer.blind('acme+' as TenantId, PHONE.slice(1) as PhoneNumber),
    openSealer(Buffer.alloc(32, 2)).blind(ACME, PHONE),
  ]
  assert.equal(new Set(blinded).size, blinded.length)
})
