/** An identity provider with which people sign in by OpenID Connect: the authorization code flow with PKCE. */

/** What the answer of the provider must match; only the browser that began the sign-in has it. */
export type SignInChecks = Readonly<{ state: string; nonce: string; verifier: string }>

export type Claims = Readonly<Record<string, unknown>>

/** `reason` is for people, and contains nothing that the provider or the browser has sent. */
export type IdentityAnswer = Readonly<{ kind: 'claims'; claims: Claims } | { kind: 'refused'; reason: string }>

/** Both methods throw `Unavailable` when the provider cannot be reached. */
export interface IdentityProvider {
  /** The address to which the browser goes. */
  begin(): Promise<Readonly<{ url: string; checks: SignInChecks }>>

  /** `query` is what the browser has brought back. */
  finish(query: string, checks: SignInChecks): Promise<IdentityAnswer>
}
