/**
 * The JWT secret and the master key. If they are not set, the first start generates them in the data folder, in files
 * that only their owner can read.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Config } from './config.ts'
import { bytesOf, createOnce, prepareFolder, readIfThere } from './data-dir.ts'
import { MIN_JWT_SECRET_BYTES } from './settings.ts'

export type Secrets = Readonly<{
  /** Absent when tokens are verified only with a JWKS. */
  jwtSecret?: Uint8Array
  masterKey: Uint8Array
}>

export const JWT_SECRET_FILE = 'jwt.secret'
export const MASTER_KEY_FILE = 'master.key'
export const DATABASE_FILE = 'pombo.db'
const SECRET_BYTES = 32

/** A secret is unusable, or it is missing and must not be replaced. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
  readonly exitCode = 78
}

export type SecretSettings = Pick<Config, 'dataDir' | 'jwtSecret' | 'jwksUrl' | 'jwksFile' | 'masterKey'>

export function loadSecrets(config: SecretSettings): Secrets {
  // If both are set, no data folder is needed.
  if (config.masterKey === undefined || usesJwtFile(config)) prepareFolder(config.dataDir)
  createMasterKey(config)
  createJwtSecret(config)
  return omitUndefined({ masterKey: readMasterKey(config), jwtSecret: readJwtSecret(config) })
}

/** The secret of HS256 tokens; undefined if a JWKS is used, or if the gateway was never started. */
export function readJwtSecret(config: SecretSettings): Uint8Array | undefined {
  if (config.jwtSecret !== undefined) return Buffer.from(config.jwtSecret)
  if (!usesJwtFile(config)) return undefined

  const path = join(config.dataDir, JWT_SECRET_FILE)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const secret = Buffer.from(text.trim())
  if (secret.length >= MIN_JWT_SECRET_BYTES) return secret
  throw new SecretsError(
    `${path} is shorter than ${MIN_JWT_SECRET_BYTES} bytes; remove it to generate a new one (existing tokens become invalid)`,
  )
}

/** With a JWKS, a secret left in the data folder is ignored. */
const usesJwtFile = ({ jwtSecret, jwksUrl, jwksFile }: SecretSettings): boolean =>
  (jwtSecret ?? jwksUrl ?? jwksFile) === undefined

function createJwtSecret(config: SecretSettings): void {
  const path = join(config.dataDir, JWT_SECRET_FILE)
  if (usesJwtFile(config) && !existsSync(path)) createOnce(path, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
}

function createMasterKey({ dataDir, masterKey }: SecretSettings): void {
  const path = join(dataDir, MASTER_KEY_FILE)
  if (masterKey !== undefined || existsSync(path)) return
  const database = join(dataDir, DATABASE_FILE)
  if (existsSync(database) || existsSync(`${database}.restoring`) || bytesOf(`${database}-wal`) > 0) {
    throw new SecretsError(`${dataDir} has a database without its master key; set POMBO_MASTER_KEY, or restore ${path}`)
  }
  createOnce(path, `${randomBytes(SECRET_BYTES).toString('base64')}\n`)
}

const readMasterKey = ({ dataDir, masterKey }: SecretSettings): Uint8Array => {
  const path = join(dataDir, MASTER_KEY_FILE)
  return toMasterKey(masterKey ?? readIfThere(path) ?? '', path)
}

/** Parses a master key. `source` is where it comes from, for the error message. */
export function toMasterKey(text: string, source: string): Uint8Array {
  const trimmed = text.trim()
  const key = Buffer.from(trimmed, trimmed.length === SECRET_BYTES * 2 ? 'hex' : 'base64')
  if (key.length === SECRET_BYTES) return key
  throw new SecretsError(
    `${source} is not ${SECRET_BYTES} bytes in base64 or hexadecimal; restore it, because messages cannot be read without it`,
  )
}

export type Claims = Readonly<{
  tenantId: string
  /** Who uses the token: the audit log names it. */
  subject?: string
  accountId: string
  scopes: readonly string[]
  expiresInSeconds: number
  /** Of test mode. */
  test?: boolean
  issuer?: string | undefined
  audience?: string | undefined
}>

/** Signs a token with HS256. `now` is in seconds since the epoch. */
export function mintToken(secret: Uint8Array, claims: Claims, now = Math.floor(Date.now() / 1000)): Promise<string> {
  const token = new SignJWT({
    tenant_id: claims.tenantId,
    account_id: claims.accountId,
    scope: claims.scopes.join(' '),
    ...(claims.test === true ? { test: true } : {}),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + claims.expiresInSeconds)
  if (claims.subject !== undefined) token.setSubject(claims.subject)
  if (claims.issuer !== undefined) token.setIssuer(claims.issuer)
  if (claims.audience !== undefined) token.setAudience(claims.audience)
  return token.sign(secret)
}
