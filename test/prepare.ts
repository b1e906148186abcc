/**
 * Runs before the tests: installs missing dependencies where possible. Reports the suites that are skipped without a
 * dependency, and fails in CI.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingForReplay } from './image/host.ts'
import { findCompiler } from './power/compiler.ts'
import { type Machine, type Need, type NeedStatus, type Step, toSteps, toVerdict } from './prepare-plan.ts'
import { findProgram } from './single-node/programs.ts'
import { findChromium } from './support/browser.ts'
import { missingKafka } from './support/kafka.ts'
import { findKannel } from './support/kannel.ts'
import { missingPostfix } from './support/postfix.ts'
import { findPostgres } from './support/postgres-process.ts'
import { findPython } from './support/python.ts'
import { findPythonTwilio } from './support/python-twilio.ts'
import { findRabbit } from './support/rabbitmq.ts'
import { findRedis } from './support/redis-process.ts'
import { findSchemas, findTool } from './support/tools.ts'
import { findUnbound } from './support/unbound.ts'

/** The suites use the same functions to find their dependencies. */
const NEEDS: readonly (Need & Readonly<{ find: () => string | undefined }>)[] = [
  {
    name: 'nats-server 2.12 or newer',
    suites: 'the log and the queue of the cluster profile',
    urlVariable: 'POMBO_TEST_NATS_URL',
    from: { kind: 'tools' },
    find: () => findTool('nats-server'),
  },
  {
    name: 'kubectl',
    suites: 'the rendered Kubernetes manifests',
    from: { kind: 'tools' },
    find: () => findTool('kubectl'),
  },
  {
    name: 'the schemas of compose and of the operators',
    suites: 'the compose file and the custom resources',
    from: { kind: 'tools' },
    find: findSchemas,
  },
  {
    name: 'PostgreSQL 15 or newer',
    suites: 'the index of the cluster profile',
    urlVariable: 'POMBO_TEST_POSTGRES_URL',
    from: { kind: 'debian', packages: ['postgresql'] },
    find: findPostgres,
  },
  {
    name: 'Redis 7 or newer',
    suites: 'the limits of the cluster profile',
    urlVariable: 'POMBO_TEST_REDIS_URL',
    from: { kind: 'debian', packages: ['redis-server'] },
    find: findRedis,
  },
  {
    name: 'unbound',
    suites: 'the verification of domains',
    from: { kind: 'debian', packages: ['unbound'] },
    find: findUnbound,
  },
  {
    name: 'Chromium',
    suites: 'the console',
    from: { kind: 'debian', packages: ['chromium'] },
    find: findChromium,
  },
  {
    name: 'a C compiler',
    suites: 'power loss',
    from: { kind: 'debian', packages: ['gcc', 'libc6-dev'] },
    find: () => findCompiler(),
  },
  {
    name: 'Kannel',
    suites: 'the SMPP listener with a real client',
    from: { kind: 'debian', packages: ['kannel'] },
    find: findKannel,
  },
  {
    name: 'RabbitMQ',
    suites: 'sinks on AMQP',
    from: { kind: 'debian', packages: ['rabbitmq-server'] },
    find: findRabbit,
  },
  {
    name: 'librdkafka with its headers, and kcat',
    suites: 'sinks on Kafka',
    from: { kind: 'debian', packages: ['gcc', 'libc6-dev', 'librdkafka-dev', 'kcat'] },
    find: () => (missingKafka() === undefined ? 'kcat' : undefined),
  },
  {
    name: 'systemd-analyze',
    suites: 'the units of a single machine',
    from: { kind: 'debian', packages: ['systemd'] },
    find: () => findProgram('systemd-analyze'),
  },
  {
    name: 'Python 3',
    suites: 'notifications to systemd',
    from: { kind: 'debian', packages: ['python3'] },
    find: () => findProgram('python3'),
  },
  {
    name: 'swaks',
    suites: 'SMTP clients',
    from: { kind: 'debian', packages: ['swaks', 'libnet-ssleay-perl', 'libio-socket-ssl-perl'] },
    find: () => findProgram('swaks'),
  },
  {
    name: 'Postfix, with root',
    suites: 'Postfix as an SMTP client',
    from: { kind: 'debian', packages: ['postfix', 'libsasl2-modules'] },
    find: () => (missingPostfix() === undefined ? 'postfix' : undefined),
  },
  {
    name: 'pip, setuptools, wheel and mypy',
    suites: 'the Python client',
    from: {
      kind: 'debian',
      packages: ['python3', 'python3-venv', 'python3-pip', 'python3-setuptools', 'python3-wheel', 'mypy'],
    },
    find: findPython,
  },
  {
    name: "Twilio's library for Python",
    suites: "Twilio's API",
    from: { kind: 'debian', packages: ['python3-twilio'] },
    find: findPythonTwilio,
  },
  {
    name: 'nginx',
    suites: 'its configuration for a single machine',
    from: { kind: 'debian', packages: ['nginx'] },
    find: () => findProgram('nginx'),
  },
  {
    name: 'Caddy',
    suites: 'its configuration for a single machine',
    from: { kind: 'debian', packages: ['caddy'] },
    find: () => findProgram('caddy'),
  },
  {
    name: 'promtool',
    suites: 'the alert rules',
    from: { kind: 'debian', packages: ['prometheus'] },
    find: () => findProgram('promtool'),
  },
  {
    name: 'root, and iproute2',
    suites: 'the image',
    from: { kind: 'debian', packages: ['iproute2'] },
    find: () => (missingForReplay() === undefined ? 'ip' : undefined),
  },
]

const TOOLS = join(import.meta.dirname, 'tools')

const inspectNeeds = (): readonly NeedStatus[] =>
  NEEDS.map(({ find, ...need }) => ({
    ...need,
    isInstalled: find() !== undefined,
    isExternal: need.urlVariable !== undefined && (process.env[need.urlVariable] ?? '') !== '',
  }))

const inspectMachine = (): Machine => ({
  platform: `${process.platform}-${process.arch}`,
  hasStaleTools: changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json'),
  isDebian: existsSync('/etc/debian_version'),
  isRoot: process.getuid?.() === 0,
})

const changedAt = (path: string): number => statSync(join(TOOLS, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

function runStep(step: Step): void {
  switch (step.kind) {
    case 'tools':
      run('npm', ['ci'])
      break
    case 'debian':
      withoutStarting(() => install(step.packages))
      break
  }
}

function run(program: string, args: readonly string[]): void {
  console.error(`prepare: ${program} ${args.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Its stderr is part of the error if it fails, and otherwise not needed.
  execFileSync(program, args, { cwd: TOOLS, env, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Another installation may be running. */
const WAIT_FOR_LOCK = ['-o', 'DPkg::Lock::Timeout=300']

/** Tries without `apt-get update` first, which takes longer than everything else. */
function install(packages: readonly string[]): void {
  const args = [...WAIT_FOR_LOCK, 'install', '-y', '--no-install-recommends', ...packages]
  try {
    run('apt-get', args)
  } catch {
    run('apt-get', [...WAIT_FOR_LOCK, 'update'])
    run('apt-get', args)
  }
}

/** On Debian a newly installed server starts by itself unless this file forbids it. */
const POLICY = '/usr/sbin/policy-rc.d'

function withoutStarting(act: () => void): void {
  const isForbidden = existsSync(POLICY)
  if (!isForbidden) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    act()
  } finally {
    if (!isForbidden) rmSync(POLICY)
  }
}

for (const step of toSteps(inspectNeeds(), inspectMachine())) {
  try {
    runStep(step)
  } catch (error) {
    console.error(`prepare: ${error instanceof Error ? error.message : error}`)
  }
}
const { exitCode, lines } = toVerdict(inspectNeeds(), process.env['CI'] === 'true')
for (const line of lines) console.error(`prepare: ${line}`)
process.exitCode = exitCode
