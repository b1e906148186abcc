/** Tick marks of the logarithmic latency axis: powers of ten up to ten seconds, then minutes, hours and days. */
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

const TICKS = [1, 10, 100, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, DAY, 10 * DAY, 100 * DAY]

export const latencyTicks = (top: number, low = 1): readonly number[] =>
  TICKS.filter((tick) => tick >= low && tick <= top)

/** The last tick below the shortest latency. */
export const latencyLow = (shortest: number): number => TICKS.findLast((tick) => tick <= shortest) ?? 1

/** The first tick with some room above the longest latency. */
export const latencyTop = (longest: number): number =>
  TICKS.find((tick) => tick >= Math.max(10, 1.2 * longest)) ?? 1.2 * longest
