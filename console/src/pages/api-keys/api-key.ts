/** API keys as the gateway returns them. */
import type { paths } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type ApiKey = paths['/v1/api-keys']['get']['responses'][200]['content']['application/json']['items'][number]
/** A key with its text, which the gateway returns only once. */
export type Issued = paths['/v1/api-keys']['post']['responses'][201]['content']['application/json']
export type Rotated = paths['/v1/api-keys/{id}/rotate']['post']['responses'][201]['content']['application/json']
export type Scope = ApiKey['scopes'][number]
export type Mode = ApiKey['mode']

export const API_KEYS = ['api-keys'] as const

export const SCOPES = [
  'sms:send',
  'email:send',
  'otp',
  'messages:read',
  'messages:write',
  'content:read',
  'admin',
  'operator',
] as const satisfies readonly Scope[]

export const MODE_TONES: Readonly<Record<Mode, Tone>> = { live: 'info', test: 'warn' }

export const STATUS_TONES: Readonly<Record<ApiKey['status'], Tone>> = {
  active: 'good',
  expired: 'warn',
  revoked: 'quiet',
}
