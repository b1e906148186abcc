/** Turns the bytes of a body into JSON, or says why they are none. */
import { isUtf8 } from 'node:buffer'
import { refuse } from '../../flows/errors.ts'

/** An empty body is undefined: whether it may be missing is for the route's schema to say. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw refuse('VALIDATION_ERROR', 'the body is not valid UTF-8')
  const text = bytes.toString()
  const value = parse(text)
  if (SUSPECT.test(text)) refusePoison(value)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('VALIDATION_ERROR', 'the body is not valid JSON')
  }
}

/** Only a text with one of these can hold a dangerous key; an escape may spell it. */
const SUSPECT = /__proto__|constructor|\\u/

/** Goes through a stack of its own: a body may be nested deeper than ours. */
function refusePoison(value: unknown): void {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      if (isPoison(key, inner)) throw refuse('VALIDATION_ERROR', `the body must not have the key ${key}`)
      open.push(inner)
    }
  }
}

/** Keys that reach the prototype of whatever they are merged into. */
const isPoison = (key: string, inner: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
