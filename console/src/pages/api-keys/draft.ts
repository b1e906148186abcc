/** A new API key while it is being described, and the request that it becomes. */
import type { components } from '../../api/schema.gen.d.ts'
import type { Mode, Scope } from './api-key.ts'

/** In days, unless the key never expires or does so at a chosen time. */
export const EXPIRIES = ['never', '30', '90', '365', 'at'] as const
export type Expiry = (typeof EXPIRIES)[number]

export type Draft = Readonly<{
  name: string
  scopes: readonly Scope[]
  mode: Mode
  accountId: string
  expiry: Expiry
  /** In ISO format; for the expiry `at`. */
  expiresAt: string | undefined
  /** One per line. */
  networks: string
}>

type Body = components['schemas']['CreateApiKeyRequest']

export function toBody(draft: Draft): Body {
  const { name, scopes, mode, accountId, networks } = draft
  const lines = networksOf(networks)
  return {
    name: name.trim(),
    scopes: [...scopes],
    mode,
    account_id: accountId.trim(),
    ...(lines.length === 0 ? {} : { networks: lines }),
    ...toExpiry(draft),
  }
}

function toExpiry({ expiry, expiresAt }: Draft): Pick<Body, 'expires_at' | 'expires_in_days'> {
  if (expiry === 'never') return {}
  if (expiry !== 'at') return { expires_in_days: Number(expiry) }
  return expiresAt === undefined ? {} : { expires_at: expiresAt }
}

/** Also accepts networks separated by spaces, commas or semicolons. */
export const networksOf = (text: string): string[] => text.split(/[\s,;]+/).filter((line) => line !== '')
