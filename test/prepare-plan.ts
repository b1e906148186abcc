/** Plans the installation of missing test dependencies, and reports those that stay missing. prepare.ts runs the plan. */

/** A dependency of test suites, and how to install it. */
export type Need = Readonly<{
  name: string
  /** What cannot be tested without it. */
  suites: string
  /** The environment variable with the URL of a running server. */
  urlVariable?: string
  from: Readonly<{ kind: 'tools' }> | Readonly<{ kind: 'debian'; packages: readonly string[] }>
}>

export type NeedStatus = Need & Readonly<{ isInstalled: boolean; isExternal: boolean }>

export type Machine = Readonly<{
  /** test/tools has programs for linux-x64 only. */
  platform: string
  /** The packages in test/tools are missing, or older than their lock file. */
  hasStaleTools: boolean
  isDebian: boolean
  isRoot: boolean
}>

export type Step = Readonly<{ kind: 'tools' }> | Readonly<{ kind: 'debian'; packages: readonly string[] }>

const isMissing = ({ isInstalled, isExternal }: NeedStatus): boolean => !isInstalled && !isExternal

/** Empty if nothing is missing. */
export function toSteps(needs: readonly NeedStatus[], machine: Machine): readonly Step[] {
  const hasTools = needs.some(({ from }) => from.kind === 'tools')
  const packages = needs.filter(isMissing).flatMap(({ from }) => (from.kind === 'debian' ? from.packages : []))
  const steps: Step[] = []
  if (hasTools && machine.hasStaleTools && machine.platform === 'linux-x64') steps.push({ kind: 'tools' })
  if (packages.length > 0 && machine.isDebian && machine.isRoot) steps.push({ kind: 'debian', packages })
  return steps
}

export type Verdict = Readonly<{ exitCode: number; lines: readonly string[] }>

/** The report after the steps. In CI a missing dependency is a failure. */
export function toVerdict(needs: readonly NeedStatus[], isCi: boolean): Verdict {
  const missing = needs.filter(isMissing)
  const outcome = isCi ? 'FAILED' : 'SKIPPED'
  const lines = missing.map(
    (need) => `${outcome}: ${need.name} is not available, so ${need.suites} cannot be tested; ${toAdvice(need)}`,
  )
  return { exitCode: isCi && missing.length > 0 ? 1 : 0, lines }
}

function toAdvice({ from, urlVariable }: Need): string {
  const install = from.kind === 'tools' ? 'put it on the PATH' : `install ${from.packages.join(' ')}`
  return urlVariable === undefined ? install : `${install}, or set ${urlVariable}`
}
