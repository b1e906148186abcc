/** What to do so that every suite finds what it needs, and what to say of what it will not find. Pure: prepare.ts acts. */

/** Something the suites run against, and where it can come from. */
export type Need = Readonly<{
  name: string
  /** What is not tested without it. */
  suites: string
  /** Names one that runs elsewhere already. */
  lentBy?: string
  from: Readonly<{ kind: 'tools' }> | Readonly<{ kind: 'debian'; packages: readonly string[] }>
}>

export type Seen = Need & Readonly<{ isThere: boolean; isLent: boolean }>

export type Machine = Readonly<{
  /** The only one for which test/tools has programs is linux-x64. */
  platform: string
  /** What is installed in test/tools is missing, or older than its lock file. */
  hasStaleTools: boolean
  isDebian: boolean
  isRoot: boolean
}>

export type Step = Readonly<{ kind: 'tools' }> | Readonly<{ kind: 'debian'; packages: readonly string[] }>

const isMissing = ({ isThere, isLent }: Seen): boolean => !isThere && !isLent

/** Nothing where all is there. */
export function toSteps(needs: readonly Seen[], machine: Machine): readonly Step[] {
  const hasTools = needs.some(({ from }) => from.kind === 'tools')
  const packages = needs.filter(isMissing).flatMap(({ from }) => (from.kind === 'debian' ? from.packages : []))
  const steps: Step[] = []
  if (hasTools && machine.hasStaleTools && machine.platform === 'linux-x64') steps.push({ kind: 'tools' })
  if (packages.length > 0 && machine.isDebian && machine.isRoot) steps.push({ kind: 'debian', packages })
  return steps
}

export type Verdict = Readonly<{ exitCode: number; lines: readonly string[] }>

/** Said once the steps are taken. In CI nothing may be left out. */
export function toVerdict(needs: readonly Seen[], isCi: boolean): Verdict {
  const missing = needs.filter(isMissing)
  const outcome = isCi ? 'FAILED' : 'SKIPPED'
  const lines = missing.map(
    (need) =>
      `${outcome}: ${need.name} is not to be had, and ${need.suites} cannot be tested without; ${toAdvice(need)}`,
  )
  return { exitCode: isCi && missing.length > 0 ? 1 : 0, lines }
}

function toAdvice({ from, lentBy }: Need): string {
  const install = from.kind === 'tools' ? 'put it on the PATH' : `install ${from.packages.join(' ')}`
  return lentBy === undefined ? install : `${install}, or name one that runs in ${lentBy}`
}
