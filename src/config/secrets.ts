/**
 * The secrets Pombo cannot do without: what signs tokens and what seals messages. Those not given in
 * the settings are made once, on first start, in files of the data folder that only its owner may read.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Config } from './config.ts'
import { bytesOf, createOnce, prepareFolder, readIfThere } from './data-dir.ts'
import { MIN_JWT_SECRET_BYTES } from './settings.ts'

export type Secrets = Readonly<{
  /** Missing where tokens are checked by a JWKS alone. */
  jwtSecret?: Uint8Array
  masterKey: Uint8Array
  /** The files that were made just now. */
  made: readonly string[]
}>

export const JWT_SECRET_FILE = 'jwt.secret'
export const MASTER_KEY_FILE = 'master.key'
export const DATABASE_FILE = 'pombo.db'
const SECRET_BYTES = 32

/** A secret that is of no use, or missing where a new one would do harm. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
  readonly exitCode = 78
}

export type SecretSettings = Pick<Config, 'dataDir' | 'jwtSecret' | 'jwksUrl' | 'jwksFile' | 'masterKey'>

export function loadSecrets(config: SecretSettings): Secrets {
  // Where both are given there need be no folder.
  if (config.masterKey === undefined || usesJwtFile(config)) prepareFolder(config.dataDir)
  const made = [...makeMasterKey(config), ...makeJwtSecret(config)]
  const jwtSecret = readJwtSecret(config)
  return { masterKey: readMasterKey(config), made, ...(jwtSecret === undefined ? {} : { jwtSecret }) }
}

/** What signs HS256 tokens here; undefined where nothing does, or the gateway was never started. */
export function readJwtSecret(config: SecretSettings): Uint8Array | undefined {
  if (config.jwtSecret !== undefined) return Buffer.from(config.jwtSecret)
  if (!usesJwtFile(config)) return undefined

  const path = join(config.dataDir, JWT_SECRET_FILE)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const secret = Buffer.from(text.trim())
  if (secret.length >= MIN_JWT_SECRET_BYTES) return secret
  throw new SecretsError(
    `${path} is shorter than ${MIN_JWT_SECRET_BYTES} bytes; remove it to have a new one made (tokens signed with it end)`,
  )
}

/** A secret left over in the data folder is not to be trusted once a JWKS says whose tokens are good. */
const usesJwtFile = ({ jwtSecret, jwksUrl, jwksFile }: SecretSettings): boolean =>
  (jwtSecret ?? jwksUrl ?? jwksFile) === undefined

const makeJwtSecret = (config: SecretSettings): string[] =>
  usesJwtFile(config)
    ? make(join(config.dataDir, JWT_SECRET_FILE), randomBytes(SECRET_BYTES).toString('base64url'))
    : []

function makeMasterKey({ dataDir, masterKey }: SecretSettings): string[] {
  const path = join(dataDir, MASTER_KEY_FILE)
  if (masterKey !== undefined || existsSync(path)) return []
  const database = join(dataDir, DATABASE_FILE)
  if (existsSync(database) || existsSync(`${database}.restoring`) || bytesOf(`${database}-wal`) > 0) {
    throw new SecretsError(
      `${dataDir} holds a database and not the key it was sealed with; set POMBO_MASTER_KEY, or restore ${path}`,
    )
  }
  return make(path, randomBytes(SECRET_BYTES).toString('base64'))
}

const make = (path: string, secret: string): string[] =>
  existsSync(path) || !createOnce(path, `${secret}\n`) ? [] : [path]

const readMasterKey = ({ dataDir, masterKey }: SecretSettings): Uint8Array => {
  const path = join(dataDir, MASTER_KEY_FILE)
  return toMasterKey(masterKey ?? readIfThere(path) ?? '', path)
}

/** The master key as it is written in settings and files. `path` is what to blame where it is not one. */
export function toMasterKey(written: string, path: string): Uint8Array {
  const text = written.trim()
  const key = Buffer.from(text, text.length === SECRET_BYTES * 2 ? 'hex' : 'base64')
  if (key.length === SECRET_BYTES) return key
  throw new SecretsError(
    `${path} is not ${SECRET_BYTES} bytes in base64 or hexadecimal; restore it, for nothing sealed with it can be read without`,
  )
}

export type Claims = Readonly<{
  tenantId: string
  accountId: string
  scopes: readonly string[]
  expiresInSeconds: number
  issuer?: string | undefined
  audience?: string | undefined
}>

/** A token as the API takes it, signed with HS256. `now` is in seconds since the epoch. */
export function mintToken(secret: Uint8Array, claims: Claims, now = Math.floor(Date.now() / 1000)): Promise<string> {
  const token = new SignJWT({
    tenant_id: claims.tenantId,
    account_id: claims.accountId,
    scope: claims.scopes.join(' '),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + claims.expiresInSeconds)
  if (claims.issuer !== undefined) token.setIssuer(claims.issuer)
  if (claims.audience !== undefined) token.setAudience(claims.audience)
  return token.sign(secret)
}
