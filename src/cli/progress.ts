/** A bar for work that takes a while. Only a person sees it: it redraws one line of a terminal. */
import { toWait } from './render.ts'
import type { World } from './world.ts'

export type Progress = Readonly<{ show: (done: number, total: number) => void; end: () => void }>

const WIDTH = 30
const REDRAW_MS = 100

export function toProgress({ err, clock }: Pick<World, 'err' | 'clock'>, label: string): Progress {
  if (!err.isTerminal) return { show: () => {}, end: () => {} }
  const startedAt = clock()
  let drawnAt = Number.NEGATIVE_INFINITY

  return {
    show(done, total) {
      const now = clock()
      if (now - drawnAt < REDRAW_MS && done < total) return
      drawnAt = now
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * WIDTH)
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
      const elapsed = toWait(new Date(startedAt).toISOString(), new Date(now).toISOString())
      err.write(`\r\x1b[K${label} ${bar} ${Math.floor(share * 100)} %  ${done}/${total}  ${elapsed}`)
    },
    end() {
      if (drawnAt !== Number.NEGATIVE_INFINITY) err.write('\n')
    },
  }
}
