/** What is wrong with settings that are each right on their own. */
import { reports, warningsOf } from '../providers/registry.ts'
import { isSimulator, type ProviderConfig } from './file.ts'
import { type Env, isSet } from './names.ts'
import { ROLES, type Role, rolesOf, type Settings } from './settings.ts'

const TRUST = ['POMBO_JWT_SECRET', 'POMBO_JWKS_URL', 'POMBO_JWKS_FILE']
/** The log must remember an idempotency key for 48 hours, and then some. */
const LEAST_LOG_DAYS = 3

export function conflicts(settings: Settings, providers: readonly ProviderConfig[], env: Env): string[] {
  const ofProfile = settings.profile === 'cluster' ? ofCluster(settings, providers, env) : ofEmbedded(settings, env)
  return [...ofProfile, ...ofCallbacks(providers, env), ...ofKeySets(env)]
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

/** Without a worker nothing is sent: for a look at a restored database. */
const DISPENSABLE: ReadonlySet<Role> = new Set(['worker', 'poller'])

function ofEmbedded(settings: Settings, env: Env): string[] {
  const problems: string[] = []
  const { host, roles } = settings
  if (!trusts(env) && !LOOPBACK.test(host)) {
    // Whoever can reach a gateway that made its own secret must be on the machine that can read it.
    problems.push(
      `POMBO_HOST is ${JSON.stringify(host)}, which others can reach, and nothing says whose tokens to trust; ` +
        'set POMBO_JWT_SECRET, POMBO_JWKS_URL or POMBO_JWKS_FILE, or leave POMBO_HOST out for 127.0.0.1',
    )
  }
  const lacking = ROLES.filter((role) => !rolesOf(settings).has(role) && !DISPENSABLE.has(role))
  if (lacking.length > 0) {
    problems.push(
      `POMBO_ROLES is ${JSON.stringify(roles)}, and in the embedded profile one process has all roles; add ${lacking.join(', ')}, or leave it out`,
    )
  }
  return problems
}

/** Many processes share what a single one makes for itself. */
function ofCluster(settings: Settings, providers: readonly ProviderConfig[], env: Env): string[] {
  const needed = ['POMBO_NATS_URL', 'POMBO_POSTGRES_URL', 'POMBO_REDIS_URL', 'POMBO_MASTER_KEY']
  if (providers.some(isSimulator)) needed.push(...SIMULATOR)
  const problems = needed
    .filter((name) => !isSet(env, name))
    .map((name) => `${name} is not set, and the cluster profile needs it; set it`)
  if (!trusts(env)) {
    problems.push('nothing says whose tokens to trust; set POMBO_JWT_SECRET, POMBO_JWKS_URL or POMBO_JWKS_FILE')
  }
  if (settings.logDays > 0 && settings.logDays < LEAST_LOG_DAYS) {
    problems.push(
      `POMBO_LOG_DAYS is ${settings.logDays}, and an idempotency key must be remembered for 48 hours; set it to ${LEAST_LOG_DAYS} or more, or leave it out`,
    )
  }
  return problems
}

/** What a simulator in a process of its own needs, to be called and to call back. */
const SIMULATOR = ['POMBO_SIMULATOR_URL', 'POMBO_SIMULATOR_SECRET', 'POMBO_PUBLIC_URL']

/** Whoever is to report must be told where. */
function ofCallbacks(providers: readonly ProviderConfig[], env: Env): string[] {
  if (isSet(env, 'POMBO_PUBLIC_URL')) return []
  const names = providers.filter((config) => !isSimulator(config) && reports(config)).map(({ name }) => name)
  if (names.length === 0) return []
  return [
    `POMBO_PUBLIC_URL is not set, and ${names.join(', ')} would not know where to report; ` +
      'set it to the address by which providers reach this gateway, or set "callbacks": false in their settings',
  ]
}

/** What is suspicious about the providers and yet no reason to stop. */
export const suspicions = (providers: readonly ProviderConfig[]): readonly string[] =>
  providers.flatMap((config) => (isSimulator(config) ? [] : warningsOf(config)))

const trusts = (env: Env): boolean => TRUST.some((name) => isSet(env, name))

const ofKeySets = (env: Env): string[] =>
  isSet(env, 'POMBO_JWKS_URL') && isSet(env, 'POMBO_JWKS_FILE')
    ? ['POMBO_JWKS_URL and POMBO_JWKS_FILE are both set, and only one can hold the keys; leave one out']
    : []

export function unreadableKeys({ jwksFile }: Settings, readFile: (path: string) => string): string[] {
  if (jwksFile === undefined) return []
  try {
    const { keys } = JSON.parse(readFile(jwksFile)) as { keys?: unknown }
    if (Array.isArray(keys)) return []
  } catch {
    // Said below: whether it is missing or garbled, the fix is the same.
  }
  return [
    `POMBO_JWKS_FILE names ${JSON.stringify(jwksFile)}, which cannot be read as a JSON Web Key Set; correct the path or the file`,
  ]
}
