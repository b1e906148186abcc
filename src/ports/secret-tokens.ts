/** The secrets in cookies and links. Only their hashes are stored; they are random, so a fast hash protects them. */
export interface SecretTokens {
  /** 32 random bytes in base64url. */
  draw(): string

  /** The SHA-256 of a token, in base64url. */
  hash(token: string): string

  /** An HMAC that only this installation can make, in base64url. A text signed for one purpose proves nothing for another. */
  sign(purpose: 'csrf' | 'oidc' | 'session' | 'invitation', text: string): string
}
