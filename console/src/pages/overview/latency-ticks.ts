/** Where a logarithmic axis of spans has its lines: powers of ten up to ten seconds, then as clocks count. */
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

const TICKS = [1, 10, 100, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, DAY, 10 * DAY, 100 * DAY]

/** Up to the top of the axis. */
export const latencyTicks = (top: number): readonly number[] => TICKS.filter((tick) => tick <= top)

/** The first line with some room above the longest span. */
export const latencyTop = (longest: number): number =>
  TICKS.find((tick) => tick >= Math.max(10, 1.2 * longest)) ?? 1.2 * longest
