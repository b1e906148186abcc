/**
 * Texts with our signature: secrets in cookies and links, and what a cookie keeps for us. Only we can sign, so one that
 * somebody made up is refused without a query.
 */
import { isSame } from '../../lib/constant-time.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'

type Signer = Pick<SecretTokens, 'sign'>
type Purpose = Parameters<SecretTokens['sign']>[0]

export const withSignature = (tokens: Signer, purpose: Purpose, text: string): string =>
  `${text}.${tokens.sign(purpose, text)}`

/** The text that we signed for this purpose; undefined for anything else. */
export function signedText(tokens: Signer, purpose: Purpose, signed: string): string | undefined {
  const end = Math.max(0, signed.lastIndexOf('.'))
  const text = signed.slice(0, end)
  return isSame(tokens.sign(purpose, text), signed.slice(end + 1)) ? text : undefined
}
