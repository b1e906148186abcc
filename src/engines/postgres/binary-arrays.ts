/**
 * Arrays in PostgreSQL's binary format: the columns of many rows as parameters of one statement. Compared with JSON or
 * text, nothing has to be quoted and parsed, on either side.
 */

/** The type of the elements, as PostgreSQL numbers it. */
const OID = { bool: 16, int8: 20, text: 25, uuid: 2950 } as const

type Maybe<Value> = Value | null | undefined

const LENGTH = 4
const UUID_BYTES = 16
/** The dimensions, whether there are nulls, the type of the elements; how many there are and the number of the first. */
const HEADER = 5 * LENGTH
/** An array without elements has no dimensions. */
const EMPTY_HEADER = 3 * LENGTH
const NULL_LENGTH = -1
const HIGH = 2 ** 32

/** Writes one element and returns its bytes. */
type Write<Value> = (buffer: Buffer, value: Value, at: number) => number
/** `size` is enough for the bytes of an element. */
type Kind<Value> = Readonly<{ oid: number; size: (value: Value) => number; write: Write<Value> }>

/** Most texts are short and ASCII. A loop writes those several times faster than a call of Buffer does. */
const SHORT = 40
const MAX_BYTES_PER_CHARACTER = 3

const TEXT: Kind<string> = {
  oid: OID.text,
  size: (text) => (text.length <= SHORT ? text.length * MAX_BYTES_PER_CHARACTER : Buffer.byteLength(text)),
  write(buffer, text, at) {
    if (text.length > SHORT) return buffer.write(text, at)
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code > 127) return buffer.write(text, at)
      buffer[at + index] = code
    }
    return text.length
  },
}

/** An integer, which may exceed 32 bits. */
const INT8: Kind<number> = {
  oid: OID.int8,
  size: () => 8,
  write(buffer, value, at) {
    buffer.writeInt32BE(Math.floor(value / HIGH), at)
    buffer.writeInt32BE(value | 0, at + LENGTH)
    return 8
  },
}

const BOOL: Kind<boolean> = {
  oid: OID.bool,
  size: () => 1,
  write(buffer, value, at) {
    buffer[at] = value ? 1 : 0
    return 1
  },
}

const UUID: Kind<string> = {
  oid: OID.uuid,
  size: () => UUID_BYTES,
  write(buffer, uuid, at) {
    if (buffer.write(uuid.replaceAll('-', ''), at, 'hex') !== UUID_BYTES) throw new Error(`not a UUID: ${uuid}`)
    return UUID_BYTES
  },
}

const toArray =
  <Value>({ oid, size, write }: Kind<Value>) =>
  (values: readonly Maybe<Value>[]): Buffer => {
    let bytes = values.length === 0 ? EMPTY_HEADER : HEADER
    for (const value of values) bytes += LENGTH + (value == null ? 0 : size(value))
    const buffer = Buffer.allocUnsafe(bytes)
    let at = writeHeader(buffer, oid, values)
    for (const value of values) {
      const length = value == null ? NULL_LENGTH : write(buffer, value, at + LENGTH)
      buffer.writeInt32BE(length, at)
      at += LENGTH + Math.max(length, 0)
    }
    return buffer.subarray(0, at)
  }

function writeHeader(buffer: Buffer, oid: number, values: readonly unknown[]): number {
  const fields = [1, values.includes(null) || values.includes(undefined) ? 1 : 0, oid, values.length, 1]
  if (values.length === 0) fields.splice(0, fields.length, 0, 0, oid)
  return fields.reduce((at, field) => buffer.writeInt32BE(field, at), 0)
}

/** By the type of their elements. An element that is absent is null. */
export const ARRAYS = {
  text: toArray(TEXT),
  bigint: toArray(INT8),
  boolean: toArray(BOOL),
  uuid: toArray(UUID),
} as const
