/** How a figure has changed since the period before. */
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { toCount, toShare } from '../../ui/numbers.ts'

const T = OVERVIEW_TEXTS.tiles

/** `good`: whether the change is an improvement; undefined when it is neither. */
export type Change = Readonly<{ words: string; more: boolean; good: boolean | undefined }> | 'none' | 'new'

export function changeOf(
  now: number | undefined,
  before: number | undefined,
  good?: 'more' | 'less',
): Change | undefined {
  if (now === undefined || before === undefined) return undefined
  if (now === before) return 'none'
  if (before === 0) return 'new'
  const more = now > before
  return { words: changeText(now, before), more, good: good === undefined ? undefined : more === (good === 'more') }
}

/** Small counts change by a number, large ones by a percentage, very large changes by a factor. */
function changeText(now: number, before: number): string {
  if (before < 10) return toCount(Math.abs(now - before))
  return now >= 10 * before ? T.times(toCount(Math.round(now / before))) : toShare(Math.abs(now - before) / before)
}

/** Shares change by percentage points. */
export function pointsOf(now: number | undefined, before: number | undefined): Change | undefined {
  if (now === undefined) return undefined
  if (before === undefined) return 'new'
  const points = Math.round(1000 * (now - before)) / 10
  if (points === 0) return 'none'
  return { words: T.points(toCount(Math.abs(points))), more: points > 0, good: points > 0 }
}
