/** `pombo token`: prints a token and nothing else, for use in scripts. */
import { type Config, loadConfig } from '../config/config.ts'
import { mintToken, readJwtSecret } from '../config/secrets.ts'
import { SCOPES, unknownScopes } from '../domain/access/scope.ts'
import { parseAccountId, parseTenantId } from '../domain/ids.ts'
import { CLI } from './client.ts'
import { defineCommand, whole } from './command.ts'
import { EXIT, failure, usageError } from './exit.ts'

const DAY_SECONDS = 86_400
const DEFAULT_DAYS = 30
const MAX_DAYS = 3650
const SUBJECT = /^\P{C}{1,200}$/u

export const token = defineCommand({
  name: 'token',
  summary: 'Print a token signed with the secret of this gateway.',
  options: {
    tenant: { value: 'NAME', about: 'tenant (demo)' },
    account: { value: 'NAME', about: 'account of the tenant (default)' },
    subject: { value: 'NAME', about: `who uses the token, for the audit log (${CLI})` },
    scope: { value: 'SCOPES', about: `scopes, separated by commas: ${SCOPES.join(' ')} (admin)` },
    days: { value: 'NUMBER', about: 'validity in days (30)' },
    test: { about: 'a token of test mode: messages go to the simulator' },
  },
  async run(world, values) {
    const { tenant = 'demo', account = 'default', subject = CLI, scope = 'admin' } = values
    if (parseTenantId(tenant) === undefined) throw usageError('--tenant may contain letters, digits, - and _')
    if (parseAccountId(account) === undefined) throw usageError('--account may contain letters, digits, - and _')
    if (!SUBJECT.test(subject)) throw usageError('--subject must be 1 to 200 printable characters')
    const scopes = scope.split(/[\s,]+/).filter((word) => word !== '')
    if (scopes.length === 0) throw usageError('--scope needs at least one scope')
    const unknown = unknownScopes(scopes)
    if (unknown.length > 0)
      throw usageError(`--scope has no ${unknown.join(', ')}; the scopes are ${SCOPES.join(', ')}`)

    const config = loadConfig(world.env, world.readFile)
    const expiresInSeconds = lifetimeOf(values.days, config)
    const secret = readJwtSecret(config)
    if (secret === undefined) throw failure(toReason(config))
    const { jwtIssuer: issuer, jwtAudience: audience } = config
    const test = values.test === true
    const who = { subject, tenantId: tenant, accountId: account }
    const claims = { ...who, scopes, expiresInSeconds, test, issuer, audience }
    const now = Math.floor(world.clock() / 1000)
    world.out.write(`${await mintToken(secret, claims, now)}\n`)
    return EXIT.ok
  },
})

type LifetimeSettings = Pick<Config, 'jwtMaxLifetimeSeconds'>

/** In seconds. The gateway refuses a token that lives longer than its setting allows. */
function lifetimeOf(days: string | undefined, { jwtMaxLifetimeSeconds: longest }: LifetimeSettings): number {
  if (days === undefined) return Math.min(DEFAULT_DAYS * DAY_SECONDS, longest)
  const lifetime = whole('days', days, DEFAULT_DAYS, MAX_DAYS) * DAY_SECONDS
  if (lifetime <= longest) return lifetime
  throw usageError(
    `--days ${days} is longer than the gateway accepts: POMBO_JWT_MAX_LIFETIME_SECONDS allows ${longest} seconds`,
  )
}

type SecretSource = Readonly<{ dataDir: string; jwksUrl?: string; jwksFile?: string }>

const toReason = ({ dataDir, jwksUrl, jwksFile }: SecretSource): string =>
  (jwksUrl ?? jwksFile) === undefined
    ? `${dataDir} has no secret yet; start the gateway once with \`pombo serve\`, or set POMBO_JWT_SECRET`
    : 'this gateway verifies tokens with a JWKS, so its issuer signs them; set POMBO_JWT_SECRET to sign tokens here too'
