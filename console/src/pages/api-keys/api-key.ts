/** API keys as the gateway returns them. */
import type { components } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type ApiKey = components['schemas']['ApiKey']
/** A key with its text, which the gateway returns only once. */
export type Issued = components['schemas']['CreatedApiKey']
export type Rotated = components['schemas']['RotatedApiKey']
export type Scope = components['schemas']['Scope']
export type Mode = components['schemas']['Mode']

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
