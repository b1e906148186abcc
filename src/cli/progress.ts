/** A progress bar that redraws one line of a terminal, and writes nothing elsewhere. */
import { toDuration } from './render.ts'
import type { World } from './world.ts'

/** `total` is omitted when it is not known. */
export type Progress = Readonly<{ show: (done: number, total?: number) => void; end: () => void }>

const WIDTH = 30
const REDRAW_MS = 100
const CLEAR_LINE = '\r\x1b[K'

export function toProgress({ err, clock }: Pick<World, 'err' | 'clock'>, label: string): Progress {
  if (!err.isTerminal) return { show: () => {}, end: () => {} }
  const startedAt = clock()
  let drawnAt: number | undefined

  return {
    show(done, total) {
      const now = clock()
      if (drawnAt !== undefined && now - drawnAt < REDRAW_MS && done !== total) return
      drawnAt = now
      const amount = total === undefined ? String(done) : toBar(done, total)
      err.write(`${CLEAR_LINE}${label} ${amount}  ${toDuration(now - startedAt)}`)
    },
    end() {
      if (drawnAt !== undefined) err.write('\n')
    },
  }
}

/**
 * The bar of a command that first migrates the data folder if an earlier release wrote it: that has a line of its own,
 * as in `pombo migrate`.
 */
export function toProgressAfterMigration(
  world: Pick<World, 'err' | 'clock'>,
  label: string,
): Progress & Readonly<{ showMigration: Progress['show'] }> {
  const migration = toProgress(world, 'migrating')
  let progress: Progress | undefined
  return {
    showMigration: migration.show,
    show(done, total) {
      if (progress === undefined) migration.end()
      progress ??= toProgress(world, label)
      progress.show(done, total)
    },
    end: () => (progress ?? migration).end(),
  }
}

function toBar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(share * 100)} %  ${done}/${total}`
}
