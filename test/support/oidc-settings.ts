/** The settings of a gateway that signs people in with a test identity provider. */
import type { TestIdentityProvider } from './identity-provider.ts'

export const oidcSettings = ({ issuer, clientId, clientSecret }: TestIdentityProvider, publicUrl: string) => ({
  POMBO_PUBLIC_URL: publicUrl,
  POMBO_OIDC_ISSUER: issuer,
  POMBO_OIDC_CLIENT_ID: clientId,
  POMBO_OIDC_CLIENT_SECRET: clientSecret,
})
