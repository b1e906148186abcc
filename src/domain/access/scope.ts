/** The scopes of tokens, API keys and roles. */
export const SCOPES = [
  'sms:send',
  'email:send',
  'otp',
  'messages:read',
  'messages:write',
  'content:read',
  'admin',
  'operator',
] as const
export type Scope = (typeof SCOPES)[number]

/** `admin` includes everything within its tenant; `operator` also what concerns every tenant. */
export const includes = (scopes: ReadonlySet<Scope>, wanted: Scope): boolean =>
  scopes.has(wanted) || scopes.has('operator') || (scopes.has('admin') && wanted !== 'operator')

const isScope = (word: string): word is Scope => SCOPES.some((scope) => scope === word)

/** The scopes among words separated by spaces, as in the claim `scope` (RFC 8693). Others may be meant for others. */
export const parseScopes = (text: string): ReadonlySet<Scope> => new Set(text.split(' ').filter(isScope))

/** The words that are no scopes. */
export const unknownScopes = (words: readonly string[]): readonly string[] => words.filter((word) => !isScope(word))
