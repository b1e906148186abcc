/** The tokens of sessions, which cookies contain. The store knows only hashes of their secrets. */
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import { signedText, withSignature } from './signed-text.ts'

/** `token` is for the cookie, `hash` for the store. */
export type SessionToken = Readonly<{ token: string; hash: string }>

export function drawSessionToken(tokens: SecretTokens): SessionToken {
  const secret = tokens.draw()
  return { token: withSignature(tokens, 'session', secret), hash: tokens.hash(secret) }
}

/** Undefined for a token that we did not make. */
export function hashOfSessionToken(tokens: SecretTokens, token: string): string | undefined {
  const secret = signedText(tokens, 'session', token)
  return secret === undefined ? undefined : tokens.hash(secret)
}
