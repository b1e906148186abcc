/** Reports several runs of the test runner as one: every test, the totals, and the failures. */
import { finished } from 'node:stream/promises'
import { type spec as Spec, spec, type TestEvent } from 'node:test/reporters'

/** Named and ordered as `node --test` does. */
const TOTALS = [
  ['tests', 'tests'],
  ['suites', 'suites'],
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
] as const
const SLOWEST = 10

type Counts = Record<(typeof TOTALS)[number][1], number>
type Summary = Readonly<{ file: string | undefined; success: boolean; counts: Partial<Counts> }>
type Timed = Readonly<{ what: string; ms: number }>

export class Report {
  readonly #counts: Counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
  #success = true
  readonly #begunAt = performance.now()
  readonly #spec: InstanceType<typeof Spec> = new spec()
  readonly #timed: Timed[] = []

  constructor() {
    this.#spec.pipe(process.stdout)
  }

  /** The events of one run. Its totals are added to ours. */
  add(timed: Timed, events: readonly TestEvent[]): void {
    this.#timed.push(timed)
    for (const event of events) {
      if (event.type === 'test:summary') this.#count(event.data)
      else if (!isTotal(event)) this.#spec.write(event)
    }
  }

  /** Resolves to whether every run was a success. */
  async close(): Promise<boolean> {
    const slowest = this.#timed.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST)
    for (const { what, ms } of slowest) this.#say(`${(ms / 1000).toFixed(1)} s ${what}`)
    for (const [name, count] of TOTALS) this.#say(`${name} ${this.#counts[count]}`)
    const duration_ms = performance.now() - this.#begunAt
    this.#say(`duration_ms ${duration_ms}`)
    const data = { counts: { ...this.#counts, topLevel: 0 }, duration_ms, file: undefined, success: this.#success }
    this.#spec.end({ type: 'test:summary', data })
    await finished(this.#spec)
    return this.#success
  }

  #say(message: string): void {
    this.#spec.write({ type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } })
  }

  /** Every file has a summary, and so has the run; the summary of the run has no file. */
  #count({ file, counts, success }: Summary): void {
    if (file !== undefined) return
    this.#success &&= success
    for (const [, name] of TOTALS) this.#counts[name] += counts[name] ?? 0
  }
}

const isTotal = ({ type, data }: TestEvent): boolean =>
  type === 'test:diagnostic' &&
  data.file === undefined &&
  ['duration_ms', ...TOTALS.map(([name]) => name)].some((name) => data.message.startsWith(`${name} `))
