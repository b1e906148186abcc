/** The replay as a process with mounts and processes of its own, so that nothing of it is left however it ends. */
import { join } from 'node:path'

export type ReplayOptions = Readonly<{
  /** The repository. */
  context: string
  /** Uses a Debian only if there is one from an earlier replay, and otherwise the programs of this machine. */
  isShort: boolean
  /** Makes the Debian anew. */
  isFresh: boolean
}>

const INSIDE = join(import.meta.dirname, 'inside.ts')

/** The program and its arguments. `folder` is empty, and stays so. */
export const replayCommand = (options: ReplayOptions, folder: string): readonly [string, readonly string[]] => [
  'unshare',
  [
    ...['--mount', '--propagation=private', '--pid', '--fork', '--kill-child', '--mount-proc'],
    ...[process.execPath, INSIDE, JSON.stringify(options), folder],
  ],
]
