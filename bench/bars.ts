/** Rates as an SVG bar chart, for light and dark backgrounds. */
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import type { Machine } from './machine.ts'
import { whole } from './verdict.ts'

export type Bar = Readonly<{ label: string; rate: number; kind: 'ours' | 'bare' | 'peer'; goal?: number }>

const WIDTH = 760
const LABEL = 210
const VALUE = 130
const ROW = 30
const BAR = 18
const TOP = 48

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .note { fill: #59636e; font-size: 12px }
  .ours { fill: #0969da } .bare { fill: #818b98 } .peer { fill: #bf8700 }
  .goal { stroke: #cf222e; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note { fill: #9198a1 }
    .ours { fill: #4493f8 } .bare { fill: #6e7681 } .peer { fill: #d29922 } .goal { stroke: #f85149 }
  }
`

export function drawBars({ cpu, cores }: Machine, bars: readonly Bar[]): string {
  const height = TOP + bars.length * ROW + 12
  const longest = Math.max(1, ...bars.map(({ rate, goal = 0 }) => Math.max(rate, goal)))
  const scale = (WIDTH - LABEL - VALUE) / longest
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>Messages per second</title>
<style>${STYLE}</style>
<text class="title" x="0" y="18">Messages per second</text>
<text class="note" x="0" y="36">${toXml(cpu)}, ${cores} cores, load generator included; the red line is the target</text>
${bars.map((bar, nth) => toSvg(bar, TOP + nth * ROW, scale)).join('\n')}
</svg>
`
}

/** Empty when nothing was measured. */
export const toBar = (
  label: string,
  kind: Bar['kind'],
  rate: number | undefined,
  goal?: number | undefined,
): readonly Bar[] => (rate === undefined ? [] : [omitUndefined({ label, kind, rate, goal })])

export const times = (rate: number | undefined, factor: number): number | undefined =>
  rate === undefined ? undefined : rate * factor

function toSvg({ label, rate, kind, goal }: Bar, y: number, scale: number): string {
  const width = Math.max(rate * scale, 1).toFixed(1)
  const end = LABEL + Math.max(rate, goal ?? 0) * scale + 8
  const goalAt = goal === undefined ? undefined : (LABEL + goal * scale).toFixed(1)
  return [
    `<text x="${LABEL - 10}" y="${y + 14}" text-anchor="end">${toXml(label)}</text>`,
    `<rect class="${kind}" x="${LABEL}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
    ...(goalAt === undefined
      ? []
      : [`<line class="goal" x1="${goalAt}" x2="${goalAt}" y1="${y - 3}" y2="${y + BAR + 3}"/>`]),
    `<text x="${end.toFixed(1)}" y="${y + 14}">${whole(rate)}</text>`,
  ].join('')
}

const toXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
