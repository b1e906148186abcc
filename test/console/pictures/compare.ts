/** Compares two screenshots pixel by pixel, and draws what differs. */
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Antialiasing of the same glyphs is not a difference; a changed colour or one pixel of movement is. */
const THRESHOLD = 0.1

export type Comparison = Readonly<{ kind: 'same' }> | Readonly<{ kind: 'different'; why: string; diff?: Buffer }>

/** `tolerated` is the share of pixels that may differ. */
export function comparePictures(expected: Buffer, actual: Buffer, tolerated: number): Comparison {
  if (expected.equals(actual)) return { kind: 'same' }
  const [one, other] = [PNG.sync.read(expected), PNG.sync.read(actual)]
  const { width, height } = one
  if (other.width !== width || other.height !== height)
    return { kind: 'different', why: `${other.width} × ${other.height} instead of ${width} × ${height} pixels` }
  const diff = new PNG({ width, height })
  const count = pixelmatch(one.data, other.data, diff.data, width, height, { threshold: THRESHOLD })
  if (count <= tolerated * width * height) return { kind: 'same' }
  return { kind: 'different', why: `${count} pixels differ`, diff: PNG.sync.write(diff) }
}
