/** Problems of settings that are valid on their own but not together. */
import { MIN_RETENTION_DAYS } from '../domain/message/retention.ts'
import { isTrustworthyUrl, LOOPBACK } from '../lib/loopback.ts'
import { reports, warningsOf } from '../providers/registry.ts'
import { isSimulator, type ProviderConfig } from './file.ts'
import { type Env, isSet } from './names.ts'
import { ROLES, type Role, rolesOf, type Settings } from './settings.ts'
import { signInProblems } from './sign-in-conflicts.ts'
import { smppServerProblems } from './smpp-server-settings.ts'
import { smtpListenerProblems } from './smtp-listener-settings.ts'
import { usersApiProblems } from './users-api-settings.ts'

const TRUST_SETTINGS = ['POMBO_JWT_SECRET', 'POMBO_JWKS_URL', 'POMBO_JWKS_FILE']

type Carriers = Readonly<{ providers: readonly ProviderConfig[]; namesProviders: boolean }>

export function conflicts(settings: Settings, { providers, namesProviders }: Carriers, env: Env): string[] {
  const ofProfile =
    settings.profile === 'cluster' ? clusterProblems(settings, providers, env) : embeddedProblems(settings, env)
  const ofRetention = tooFewDays('POMBO_RETENTION_DAYS', settings.retentionDays)
  const ofKeySet = keySetProblems(settings, env)
  const ofSignIn = signInProblems(settings)
  return [
    ...[...ofProfile, ...simulatorProblems(settings, namesProviders), ...ofRetention],
    ...[...callbackProblems(providers, env), ...ofKeySet, ...ofSignIn, ...usersApiProblems(settings)],
    ...smtpListenerProblems(settings),
    ...smppServerProblems(settings),
  ]
}

/** An idempotency key is valid for 48 hours, and lives in the log. */
const tooFewDays = (name: string, days: number): string[] =>
  days > 0 && days < MIN_RETENTION_DAYS
    ? [
        `${name} is ${days}, but idempotency keys must be kept for 48 hours; set it to ${MIN_RETENTION_DAYS} or more, or unset it`,
      ]
    : []

/** Who has lost the configuration file, or its providers, must not find out from people who wait for their messages. */
function simulatorProblems({ host, configFile, simulator }: Settings, namesProviders: boolean): string[] {
  if (namesProviders || simulator === 'allowed' || LOOPBACK.test(host)) return []
  return [
    `POMBO_HOST is ${JSON.stringify(host)}, which other machines can reach, and ${lack(configFile)}, so the simulator ` +
      'would take every message and nobody would receive any; set POMBO_CONFIG to a file with providers, or set ' +
      'POMBO_SIMULATOR=allowed if that is what you want',
  ]
}

const lack = (configFile: string | undefined): string =>
  configFile === undefined ? 'POMBO_CONFIG is not set' : `the file of POMBO_CONFIG (${configFile}) has no providers`

/** May be left out, to inspect a restored database without sending anything. */
const OPTIONAL_ROLES: ReadonlySet<Role> = new Set(['worker', 'poller'])

function embeddedProblems(settings: Settings, env: Env): string[] {
  const problems: string[] = []
  const { host, roles } = settings
  if (!trusts(env) && !LOOPBACK.test(host)) {
    // A gateway with a generated secret is for local use only: callers can read the secret from the data folder.
    problems.push(
      `POMBO_HOST is ${JSON.stringify(host)}, which other machines can reach, and no token settings are set; ` +
        'set POMBO_JWT_SECRET, POMBO_JWKS_URL or POMBO_JWKS_FILE, or unset POMBO_HOST to use 127.0.0.1',
    )
  }
  const missing = ROLES.filter((role) => !rolesOf(settings).has(role) && !OPTIONAL_ROLES.has(role))
  if (missing.length > 0) {
    problems.push(
      `POMBO_ROLES is ${JSON.stringify(roles)}, but the embedded profile has a single process; add ${missing.join(', ')}, or unset it`,
    )
  }
  return problems
}

/** The processes of a cluster share what an embedded gateway generates for itself. */
function clusterProblems(settings: Settings, providers: readonly ProviderConfig[], env: Env): string[] {
  const needed = ['POMBO_NATS_URL', 'POMBO_POSTGRES_URL', 'POMBO_REDIS_URL', 'POMBO_MASTER_KEY']
  if (providers.some(isSimulator)) needed.push(...SIMULATOR)
  const problems = needed
    .filter((name) => !isSet(env, name))
    .map((name) => `${name} is not set; the cluster profile requires it`)
  if (!trusts(env)) {
    problems.push('no token settings are set; set POMBO_JWT_SECRET, POMBO_JWKS_URL or POMBO_JWKS_FILE')
  }
  return [...problems, ...tooFewDays('POMBO_LOG_DAYS', settings.logDays)]
}

/** What the simulator process needs to be called and to send callbacks. */
const SIMULATOR = ['POMBO_SIMULATOR_URL', 'POMBO_SIMULATOR_SECRET', 'POMBO_PUBLIC_URL']

function callbackProblems(providers: readonly ProviderConfig[], env: Env): string[] {
  if (isSet(env, 'POMBO_PUBLIC_URL')) return []
  const names = providers.filter((config) => !isSimulator(config) && reports(config)).map(({ name }) => name)
  if (names.length === 0) return []
  return [
    `POMBO_PUBLIC_URL is not set, so ${names.join(', ')} cannot send callbacks; ` +
      'set it to the URL where providers reach this gateway, or set "callbacks": false in their settings',
  ]
}

/** Warnings about provider settings that are suspicious but allowed. */
export const suspicions = (providers: readonly ProviderConfig[]): readonly string[] =>
  providers.flatMap((config) => (isSimulator(config) ? [] : warningsOf(config)))

const trusts = (env: Env): boolean => TRUST_SETTINGS.some((name) => isSet(env, name))

const keySetProblems = ({ jwksUrl }: Settings, env: Env): string[] => [
  ...(isSet(env, 'POMBO_JWKS_URL') && isSet(env, 'POMBO_JWKS_FILE')
    ? ['POMBO_JWKS_URL and POMBO_JWKS_FILE are both set; unset one of them']
    : []),
  ...(jwksUrl === undefined || isTrustworthyUrl(new URL(jwksUrl))
    ? []
    : [
        'POMBO_JWKS_URL begins with http://, so whoever is on the way can replace the keys and sign any token; use ' +
          'https://, or a host on this machine',
      ]),
]

export function unreadableKeys({ jwksFile }: Settings, readFile: (path: string) => string): string[] {
  if (jwksFile === undefined) return []
  try {
    const { keys } = JSON.parse(readFile(jwksFile)) as { keys?: unknown }
    if (Array.isArray(keys)) return []
  } catch {
    // Reported below: the fix is the same for a missing and a malformed file.
  }
  return [
    `POMBO_JWKS_FILE is ${JSON.stringify(jwksFile)}, which is not a readable JSON Web Key Set; correct the path or the file`,
  ]
}
