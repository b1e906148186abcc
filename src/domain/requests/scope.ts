/** The scopes of an access token. */
export const SCOPES = ['sms:send', 'email:send', 'otp', 'messages:read', 'messages:write', 'admin'] as const
/** `admin` includes all others. */
export type Scope = (typeof SCOPES)[number]
