import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Described, describeMetrics, LABELS } from '../../src/observe/metrics/docs.ts'
import { findProgram, missingPrograms } from '../single-node/programs.ts'
import { skipUnavailable } from '../support/skip.ts'
import { type Compose, readCompose, sampleEnv, serves } from './compose.ts'
import { composeProblems } from './compose-schema.ts'
import { ROOT, textOf, yamlIn } from './files.ts'
import { groupedBy, selectorsIn } from './prometheus/expressions.ts'
import { PROMETHEUS_RULE, RULES, renderPrometheusRule } from './prometheus/prometheus-rule.ts'

const RULES_TEST = 'test/deploy/prometheus/rules.test.yaml'
const OVERLAY = 'deploy/compose/observability.yaml'
const DASHBOARD = 'deploy/observability/grafana/dashboards/pombo.json'

type Rule = Readonly<{ expr: string; record?: string; alert?: string; labels?: Labels; annotations?: Labels }>
type Labels = Readonly<Record<string, string>>
type Panel = Readonly<{ title: string; targets?: readonly Readonly<{ expr: string }>[] }>

const [{ groups }] = yamlIn(RULES) as [{ groups: readonly Readonly<{ rules: readonly Rule[] }>[] }]
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const { panels } = JSON.parse(textOf(DASHBOARD)) as { panels: readonly Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

const run = promisify(execFile)

/** Rejects with what promtool says. */
async function promtool(t: TestContext, ...args: readonly string[]): Promise<void> {
  const program = findProgram('promtool')
  if (program === undefined) return skipUnavailable(t, missingPrograms('promtool') ?? '')
  await run(program, [...args], { cwd: ROOT })
}

describe('the alert rules', () => {
  test('are valid, and so is the configuration that loads them', async (t) => {
    await promtool(t, 'check', 'rules', '--lint-fatal', RULES)
    await promtool(t, 'check', 'config', 'deploy/observability/prometheus/prometheus.yaml')
  })

  test('fire when they should, and not on an ordinary day', (t) => promtool(t, 'test', 'rules', RULES_TEST))

  test('are those of the Kubernetes component', () => {
    assert.equal(
      textOf(PROMETHEUS_RULE),
      renderPrometheusRule(),
      'stale: run test/deploy/prometheus/prometheus-rule.ts',
    )
    const [{ spec }] = yamlIn(PROMETHEUS_RULE) as [{ spec: unknown }]
    assert.deepEqual(spec, { groups })
  })

  test('are each tested to fire', () => {
    const text = textOf(RULES_TEST)
    for (const { alert } of alerts) assert.match(text, new RegExp(`alertname(="|: )${alert}\\b`), alert)
  })

  test('say what is wrong, how urgent it is and what to do', () => {
    const runbook = textOf('docs/operations.md')
    for (const { alert = '', labels = {}, annotations = {} } of alerts) {
      assert.match(labels['severity'] ?? '', /^(page|ticket)$/, alert)
      assert.ok((annotations['summary'] ?? '').length > 0 && (annotations['description'] ?? '').length > 0, alert)
      assert.equal(annotations['runbook'], `docs/operations.md#${alert.toLowerCase()}`)
      assert.ok(runbook.includes(`\n#### ${alert}\n`), alert)
    }
  })
})

describe('the dashboard', () => {
  test('shows every metric of ours', async () => {
    const shown = new Set(queries.flatMap(({ expr }) => selectorsIn(expr)).map(({ name }) => withoutSuffix(name)))
    const ofRules = rules.filter(({ record }) => record !== undefined && shown.has(record))
    for (const { expr } of ofRules) for (const { name } of selectorsIn(expr)) shown.add(withoutSuffix(name))
    const ours = (await describeMetrics()).filter(({ name }) => /^p(ombo|ipeline)_/.test(name))
    assert.deepEqual(
      ours.map(({ name }) => name).filter((name) => !shown.has(name) && !NOT_SHOWN.has(name)),
      [],
    )
  })
})

/** Public statuses are shown by how messages end, and which provider has final states by state. */
const NOT_SHOWN = new Set(['pombo_status_changes_total', 'pipeline_final_state_total'])

const withoutSuffix = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')

describe('rules and dashboard', () => {
  test('name only metrics and labels that a gateway exports', async () => {
    const metrics = await describeMetrics()
    assert.deepEqual(
      [...rules, ...queries].flatMap(({ expr }) => problemsIn(expr, metrics)),
      [],
    )
  })

  test('would be refused with any of these mistakes', async () => {
    const metrics = await describeMetrics()
    for (const [expression, problem] of [
      ['rate(pombo_queue_job[5m])', 'pombo_queue_job does not exist'],
      ['rate(pombo_queue_wait_seconds[5m])', 'pombo_queue_wait_seconds does not exist'],
      ['pombo_queue_jobs{line="otp"}', 'pombo_queue_jobs has no label line'],
      ['pombo_queue_jobs{state="redy"}', 'state is never redy'],
      ['sum by (line) (pombo_queue_jobs)', 'nothing here has a label line'],
      ['pombo:queue_jobs:min', 'pombo:queue_jobs:min does not exist'],
    ] as const) {
      assert.deepEqual(problemsIn(expression, metrics), [problem])
    }
  })
})

/** What Prometheus adds to every series. */
const ADDED = ['job', 'instance', 'le']

function problemsIn(expression: string, metrics: readonly Described[]): readonly string[] {
  const known = new Set(ADDED)
  const problems = selectorsIn(expression).flatMap(({ name, labels }) => {
    const existing = labelsOf(name, metrics)
    if (existing === undefined) return [`${name} does not exist`]
    for (const label of existing) known.add(label)
    return [...labels].flatMap(([label, values]) => {
      if (ADDED.includes(label)) return []
      if (!existing.includes(label)) return [`${name} has no label ${label}`]
      const wrong = values.filter((value) => !isValueOf(label, value))
      return wrong.map((value) => `${label} is never ${value}`)
    })
  })
  if (problems.length > 0) return problems
  return groupedBy(expression)
    .filter((label) => !known.has(label))
    .map((label) => `nothing here has a label ${label}`)
}

/** The labels of a series as Prometheus stores it, or of a recorded one; undefined if there is none. */
function labelsOf(name: string, metrics: readonly Described[]): readonly string[] | undefined {
  const recorded = rules.find(({ record }) => record === name)
  if (recorded !== undefined) return groupedBy(recorded.expr)
  const metric = metrics.find((one) => one.name === name && one.type !== 'histogram')
  const histogram = metrics.find((one) => one.name === withoutSuffix(name) && one.type === 'histogram')
  return name === histogram?.name ? undefined : (metric ?? histogram)?.labels
}

/** The values of a label are documented. */
const isValueOf = (label: string, value: string): boolean => LABELS[label]?.includes(`\`${value}\``) ?? false

describe('the compose overlay', () => {
  const [overlay] = yamlIn(OVERLAY) as [Pick<Compose, 'services' | 'volumes'>]
  const base = readCompose(sampleEnv())

  test('is valid with the cluster, and mounts and joins only what exists', (t) => {
    const services = { ...base.services, ...overlay.services }
    const problems = composeProblems({ ...base, services, volumes: { ...base.volumes, ...overlay.volumes } })
    if (problems === undefined) return skipUnavailable(t, 'the schema of compose is not installed')
    assert.deepEqual(problems, [])
    for (const [name, { volumes = [], networks, ports = [], image }] of Object.entries(overlay.services)) {
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        const isThere = source.startsWith('.')
          ? existsSync(join(ROOT, OVERLAY, '..', source))
          : source in overlay.volumes
        assert.ok(isThere, `${name} mounts ${source}`)
      }
      for (const network of networks as readonly string[])
        assert.ok(network in base.networks, `${name} joins ${network}`)
      assert.ok(ports.every((port) => port.startsWith('127.0.0.1:')))
      assert.match(image, /:v?\d/)
    }
  })

  test('scrapes every service that serves metrics, at the port that it listens on', () => {
    const [{ scrape_configs: scrapes }] = yamlIn('deploy/observability/prometheus/prometheus.yaml') as [
      { scrape_configs: readonly { dns_sd_configs: readonly { names: readonly string[]; port: number }[] }[] },
    ]
    const [found] = scrapes.flatMap(({ dns_sd_configs: all }) => all)
    const serving = Object.entries(base.services).filter(([, service]) => serves(service))
    assert.deepEqual([found?.names, found?.port], [serving.map(([name]) => name), 8080])
  })
})

test('expressions are read', () => {
  const expression = 'sum by (job, lane) (rate(pombo_queue_jobs{state=~"ready|taken", job=~"$job"}[5m])) > on (job) up'
  const [selector, ...others] = selectorsIn(expression)
  assert.deepEqual([selector?.name, others], ['pombo_queue_jobs', []])
  assert.deepEqual(
    [...(selector?.labels ?? [])],
    [
      ['state', ['ready', 'taken']],
      ['job', []],
    ],
  )
  assert.deepEqual(groupedBy(expression), ['job', 'lane', 'job'])
})
