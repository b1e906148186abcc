/**
 * The command line that runs a command in a root folder as a container engine does: with its own processes and devices,
 * as the user of the image, and without the environment of this machine. Mounts vanish with the process.
 */
import { join } from 'node:path'

export type Inside = Readonly<{
  root: string
  /** The id of user and group; 0 is root. */
  user: number
  cwd: string
  env: Readonly<Record<string, string>>
  command: readonly string[]
}>

type Mounts = Readonly<{
  /** Files and folders of this machine, by their path inside. */
  files?: Readonly<Record<string, string>>
  /** Makes everything read-only except `files`: these are the mounted folders relative to the root. */
  readOnly?: readonly string[]
}>

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Runs it as process 1 of its own. Ends with this process. */
export const newContainer = (inside: Inside, mounts: Mounts = {}): readonly string[] => [
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec'],
  `${mountLines(inside.root, mounts).join('\n')}\nexec "$@"`,
  'sh',
  ...changeRoot(inside, mounts.readOnly !== undefined),
]

/** Runs it beside process `pid`, as `docker exec` does. */
export const inContainer = (pid: number, inside: Inside): readonly string[] => [
  ...['nsenter', `--target=${pid}`, '--mount', '--pid', '--'],
  ...changeRoot(inside, true),
]

function mountLines(root: string, { files = {}, readOnly = [] }: Mounts): string[] {
  const at = (path: string): string => quoted(join(root, path))
  return [
    ...readOnly.map((path) => `mount -o remount,bind,ro ${at(path)}`),
    `mount -t proc proc ${at('proc')}`,
    `mount -t sysfs -o ro sysfs ${at('sys')}`,
    `mount -t tmpfs -o mode=755 devices ${at('dev')}`,
    ...DEVICES.map((name) => `touch ${at(`dev/${name}`)}; mount --bind /dev/${name} ${at(`dev/${name}`)}`),
    `mkdir -m 1777 ${at('dev/shm')}; ln -s /proc/self/fd ${at('dev/fd')}`,
    ...(readOnly.length > 0 ? [] : [`mount -t tmpfs -o mode=755 run ${at('run')}`]),
    ...Object.entries(files).flatMap(([path, source]) => [
      `if [ -d ${quoted(source)} ]; then mkdir -p ${at(path)}; else mkdir -p "$(dirname ${at(path)})"; [ -e ${at(path)} ] || touch ${at(path)}; fi`,
      `mount --bind ${quoted(source)} ${at(path)}`,
    ]),
  ]
}

/** A container has none of the rights of root when it runs; a build step has those of root as long as it is root. */
const changeRoot = ({ root, user, cwd, env, command }: Inside, isConfined: boolean): readonly string[] => [
  ...['chroot', root, 'setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
  ...(isConfined ? ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'] : []),
  ...['env', '--ignore-environment', `--chdir=${cwd}`, `HOME=${user === 0 ? '/root' : '/'}`],
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ...command,
]
