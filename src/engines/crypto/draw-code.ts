/** A random code, uniformly distributed over all codes of its shape. */
import { randomInt } from 'node:crypto'
import { CODE_CHARACTERS, type CodeShape, SIX_DIGITS } from '../../domain/otp/code.ts'

export function drawCode({ length, alphabet }: CodeShape = SIX_DIGITS): string {
  const characters = CODE_CHARACTERS[alphabet]
  return Array.from({ length }, () => characters.charAt(randomInt(characters.length))).join('')
}
