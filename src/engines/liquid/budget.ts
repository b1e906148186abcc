/**
 * What rendering one template may cost. LiquidJS checks the time between any two steps and reserves memory before it
 * builds something large; we also check with every variable that is read. The time is that of the CPU: a thread that has
 * to wait for a core refuses nothing.
 */
import { Context } from 'liquidjs'

type Limiter = Context['memoryLimit']

/** A template exceeded its budget. */
export class OverBudget extends Error {
  /** It took too long, and not too much memory. */
  readonly isTime: boolean

  constructor(message: string, isTime = false) {
    super(message)
    this.isTime = isTime
  }
}

export type Bounds = Readonly<{ millis: number; memory: number }>

export type Budget = Readonly<{ memoryLimit: Limiter; renderLimit: Limiter }>

/** The CPU time of this thread, in milliseconds. */
export function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** One budget for all parts of a template. */
export function openBudget({ millis, memory }: Bounds, cpu: () => number = cpuMillis): Budget {
  const begunAt = cpu()
  // The thread cannot have used more CPU before that, so until then the CPU clock, a system call, is not read.
  let until = performance.now() + millis
  let left = memory
  const memoryLimit = {
    use(count: number): void {
      if (count > 0) left -= count
      if (left < 0) throw new OverBudget('out of memory budget')
    },
    check(): void {},
  }
  const renderLimit = {
    use(): void {},
    check(now: number): void {
      if (now <= until) return
      const rest = millis - (cpu() - begunAt)
      if (rest <= 0) throw new OverBudget('out of time budget', true)
      until = now + rest
    },
  }
  // LiquidJS types its limiters as classes; these implement the same interface.
  return { memoryLimit, renderLimit } as object as Budget
}

/** A single tag may compare large values thousands of times, and reads a variable each time. */
export class BoundedContext extends Context {
  override readProperty(...args: Parameters<Context['readProperty']>): ReturnType<Context['readProperty']> {
    this.renderLimit.check(performance.now())
    return super.readProperty(...args)
  }
}
