/** The colour of a line, in legends and tooltips. */
import type { Line } from './plot-options.ts'

export const Swatch = ({ line: { colour, dashed = false, compared = false } }: Readonly<{ line: Line }>) => (
  <span className={`swatch ${dashed || compared ? 'dashed' : ''}`} style={{ color: colour }} />
)
