/** What a token may allow its bearer to do. */
export const SCOPES = ['sms:send', 'email:send', 'otp', 'messages:read', 'messages:write', 'admin'] as const
/** `admin` allows everything. */
export type Scope = (typeof SCOPES)[number]
