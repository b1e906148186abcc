/** Settings of signing in to the console: sessions, passwords and the identity provider. */
import { Type } from 'typebox'
import { parseTenantId } from '../domain/ids.ts'
import { checked, choice, text, url, whole } from './setting.ts'

export const DEFAULT_OIDC_SCOPE = 'openid email profile'

export const SIGN_IN_SETTINGS = {
  sessionHours: whole(1, 720, {
    env: 'POMBO_SESSION_HOURS',
    default: 12,
    description: 'How long after signing in to the console a session ends at the latest.',
  }),
  sessionIdleMinutes: whole(1, 43_200, {
    env: 'POMBO_SESSION_IDLE_MINUTES',
    default: 60,
    description: 'After how many minutes without any action a session of the console ends.',
  }),
  passwordSignIn: choice(['on', 'off'], {
    env: 'POMBO_PASSWORD_SIGN_IN',
    default: 'on',
    must: 'on or off',
    description:
      'Whether people can sign in to the console with a password. `off` needs an identity provider, and ends the sessions that began with a password.',
  }),
  oidcIssuer: Type.Optional(
    url({
      env: 'POMBO_OIDC_ISSUER',
      description:
        'The issuer URL of an OpenID Connect provider with which people sign in to the console. Register {POMBO_PUBLIC_URL}/v1/session/oidc/callback as redirect URL there.',
    }),
  ),
  oidcClientId: Type.Optional(
    text({ env: 'POMBO_OIDC_CLIENT_ID', must: 'a string', description: "The provider's client id of Pombo." }),
  ),
  oidcClientSecret: Type.Optional(
    text({
      env: 'POMBO_OIDC_CLIENT_SECRET',
      must: 'a string',
      hidden: true,
      description: 'The secret of that client; not set for a public client.',
    }),
  ),
  oidcScope: checked(
    {
      env: 'POMBO_OIDC_SCOPE',
      default: DEFAULT_OIDC_SCOPE,
      must: 'scopes separated by spaces, openid among them',
      description: 'The scopes that Pombo asks for. The claims with role and tenant may need another one.',
    },
    (value) => value.split(' ').includes('openid'),
  ),
  oidcRoleClaim: text({
    env: 'POMBO_OIDC_ROLE_CLAIM',
    default: 'pombo_role',
    must: 'the name of a claim',
    description:
      'The claim with the role: viewer, support, developer, admin or operator, or a list of which the highest applies. Without one nobody gets in.',
  }),
  oidcTenantClaim: text({
    env: 'POMBO_OIDC_TENANT_CLAIM',
    default: 'pombo_tenant',
    must: 'the name of a claim',
    description: 'The claim with the tenant.',
  }),
  oidcDefaultTenant: Type.Optional(
    checked(
      {
        env: 'POMBO_OIDC_DEFAULT_TENANT',
        must: 'the id of a tenant',
        description: 'The tenant of people without that claim. Without it they do not get in.',
      },
      (value) => parseTenantId(value) !== undefined,
    ),
  ),
}
