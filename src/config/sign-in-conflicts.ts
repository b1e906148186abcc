/** Problems of the settings of signing in, and what follows from them together. */
import { isTrustworthyUrl, LOOPBACK } from '../lib/loopback.ts'
import type { Settings } from './settings.ts'

type SignInSettings = Pick<
  Settings,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'passwordSignIn' | 'publicUrl' | 'host'
>

export function signInProblems(settings: SignInSettings): string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, passwordSignIn, publicUrl } = settings
  if (oidcIssuer === undefined) {
    const unused = oidcClientId ?? oidcClientSecret
    return [
      ...(unused === undefined ? [] : ['POMBO_OIDC_ISSUER is not set; the client settings of OpenID Connect need it']),
      ...(passwordSignIn === 'on'
        ? []
        : [
            'POMBO_PASSWORD_SIGN_IN is off and POMBO_OIDC_ISSUER is not set, so nobody could sign in to the console; set one of them',
          ]),
    ]
  }
  return [
    ...(oidcClientId === undefined ? ['POMBO_OIDC_CLIENT_ID is not set; POMBO_OIDC_ISSUER needs it'] : []),
    ...(publicUrl === undefined
      ? [
          'POMBO_PUBLIC_URL is not set, so the identity provider cannot send people back; set it to the URL of the console without /console',
        ]
      : []),
    ...(isTrustworthyUrl(new URL(oidcIssuer))
      ? []
      : [
          'POMBO_OIDC_ISSUER begins with http://, so others on the way could sign in as anybody; use https://, or a host on this machine',
        ]),
  ]
}

/** Whether the console is used on this machine over plain http, where cookies cannot be limited to https. */
export function isLocalConsole({ publicUrl, host }: Pick<SignInSettings, 'publicUrl' | 'host'>): boolean {
  if (publicUrl === undefined) return LOOPBACK.test(host)
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && LOOPBACK.test(hostname)
}
