/** Who did something: the audit log names it. */
import type { ApiKeyId } from './api-key.ts'
import type { UserId } from './user.ts'

export type Actor =
  /** `subject` is the claim `sub`, if the token has one. */
  | Readonly<{ kind: 'token'; subject?: string }>
  | Readonly<{ kind: 'api_key'; id: ApiKeyId; name: string }>
  | Readonly<{ kind: 'user'; id: UserId; email: string }>
  /** Somebody who is not signed in. */
  | Readonly<{ kind: 'anonymous' }>
