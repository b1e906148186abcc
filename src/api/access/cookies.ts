/** The cookies of signing in. Over https their names have the prefix that only our own host can set. */
import type { Presented } from '../http/auth.ts'

export type SessionCookies = Readonly<{ session: string; oidc: string; isSecure: boolean }>

/** Plain http is for loopback only. */
export function sessionCookies(isSecure: boolean): SessionCookies {
  const prefix = isSecure ? '__Host-' : ''
  return { session: `${prefix}pombo_session`, oidc: `${prefix}pombo_oidc`, isSecure }
}

/** The value of a cookie, if it has only characters that we use. */
export function readCookie({ headers }: Pick<Presented, 'headers'>, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [found = '', value = ''] = part.trim().split('=', 2)
    if (found === name) return /^[\w.-]+$/.test(value) ? value : undefined
  }
  return undefined
}

type Attributes = Readonly<{ isSecure: boolean; sameSite: 'Strict' | 'Lax'; maxAgeSeconds: number }>

/** Without Domain, so that only our own host gets it. */
export const toSetCookie = (name: string, value: string, { isSecure, sameSite, maxAgeSeconds }: Attributes): string =>
  [
    `${name}=${value}`,
    `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')

export const toClearedCookie = (name: string, attributes: Omit<Attributes, 'maxAgeSeconds'>): string =>
  toSetCookie(name, '', { ...attributes, maxAgeSeconds: 0 })
