/** Parses the bytes of a request body as JSON. */
import { isUtf8 } from 'node:buffer'
import { refuse } from '../../flows/errors.ts'

/** An empty body is undefined: the route's schema decides whether one is required. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw refuse('VALIDATION_ERROR', 'The request body is not valid UTF-8')
  const text = bytes.toString()
  const value = parse(text)
  if (SUSPECT.test(text)) refusePrototypeKeys(value)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('VALIDATION_ERROR', 'The request body is not valid JSON')
  }
}

/** Only a text with one of these can contain a dangerous key; an escape may spell it. */
const SUSPECT = /__proto__|constructor|\\u/

/** Iterative, because a body may be nested deeper than the call stack allows. */
function refusePrototypeKeys(value: unknown): void {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      if (reachesPrototype(key, inner))
        throw refuse('VALIDATION_ERROR', `The request body must not contain the key ${key}`)
      open.push(inner)
    }
  }
}

const reachesPrototype = (key: string, inner: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
