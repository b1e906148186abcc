/**
 * What rendering one template may cost. LiquidJS asks between any two steps whether there is time left, and tells
 * before it makes something large; we ask once more with every variable that is read.
 */
import { Context } from 'liquidjs'

type Limiter = Context['memoryLimit']

/** A template went beyond what it may cost. */
export class OverBudget extends Error {}

export type Bounds = Readonly<{ millis: number; memory: number }>

export type Budget = Readonly<{ memoryLimit: Limiter; renderLimit: Limiter }>

/** One for all texts of a template. */
export function openBudget({ millis, memory }: Bounds): Budget {
  const until = performance.now() + millis
  let left = memory
  const memoryLimit = {
    use(count: number): void {
      if (count > 0) left -= count
      if (left < 0) throw new OverBudget('the memory is used up')
    },
    check(): void {},
  }
  const renderLimit = {
    use(): void {},
    check(now: number): void {
      if (now > until) throw new OverBudget('the time is used up')
    },
  }
  // Limiters are classes there and do just this.
  return { memoryLimit, renderLimit } as object as Budget
}

/** A single tag may compare large values thousands of times, and names one each time. */
export class BoundedContext extends Context {
  override readProperty(...args: Parameters<Context['readProperty']>): ReturnType<Context['readProperty']> {
    this.renderLimit.check(performance.now())
    return super.readProperty(...args)
  }
}
