/**
 * Derives the idempotency key of a call from its arguments, with a secret that lives as long as this process: the id of a
 * message is made from its key, and must not let anybody guess the text after erasure.
 */
import { createHmac, randomBytes } from 'node:crypto'

export function openCallKeys(secret: Uint8Array = randomBytes(32)): (call: unknown) => string {
  return (call) => `mcp-${createHmac('sha256', secret).update(toSorted(call)).digest('base64url')}`
}

/** The same for the same fields in any order. */
const toSorted = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
