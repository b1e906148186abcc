/** The secrets of API keys. They are never stored, only their hashes. */
import type { ApiKeyId } from '../domain/access/api-key.ts'

export interface ApiKeySecrets {
  /** The id and the secret of a new key, both random. */
  draw(): Readonly<{ id: ApiKeyId; secret: string }>

  /** A keyed hash in hexadecimal: without the master key, nobody can make one for a secret of their own. */
  hash(secret: string): string
}
