/**
 * What rendering one template may cost. LiquidJS checks the time between any two steps and reserves memory before it
 * builds something large; we also check with every variable that is read.
 */
import { Context } from 'liquidjs'

type Limiter = Context['memoryLimit']

/** A template exceeded its budget. */
export class OverBudget extends Error {}

export type Bounds = Readonly<{ millis: number; memory: number }>

export type Budget = Readonly<{ memoryLimit: Limiter; renderLimit: Limiter }>

/** One budget for all parts of a template. */
export function openBudget({ millis, memory }: Bounds): Budget {
  const until = performance.now() + millis
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
      if (now > until) throw new OverBudget('out of time budget')
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
