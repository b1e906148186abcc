/**
 * Stands in for the base image `node:24-bookworm-slim`: a Debian made by mmdebstrap, or the programs and libraries of
 * this machine, with the Node that runs this and the npm of this machine. A Debian is what the image gets; this machine
 * may have libraries that the image lacks, but needs no minute to make.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { run, runLong } from './host.ts'

export type Base = Readonly<{
  kind: 'debian' | 'this machine'
  env: Readonly<Record<string, string>>
  /** Mounts a writable copy at `root`. Returns the mounted folders relative to it, the outermost first. */
  mount: (root: string, changes: string) => readonly string[]
}>

const SUITE = 'bookworm'
const ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  NODE_VERSION: process.versions.node,
}

/** Where a Debian is kept for the next replay. */
export const ARCHIVE = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'pombo-image',
  `${SUITE}-${process.arch}.tar`,
)

/** Throws unless what this machine offers can stand in for this image. */
export function checkBase(image: string): void {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? []
  if (suite !== SUITE) throw new Error(`the base image ${image} is not based on Debian ${SUITE}`)
  if (major !== process.versions.node.split('.')[0]) throw new Error(`${image} is not Node ${process.version}`)
}

/** `folder` is on a file system that can hold the changes of overlays. */
export async function openDebian(folder: string, isFresh: boolean): Promise<Base> {
  if (isFresh || !existsSync(ARCHIVE)) await makeDebian()
  const lower = join(folder, 'debian')
  mkdirSync(lower)
  run('tar', '--extract', '--file', ARCHIVE, '--directory', lower)
  installNode(join(lower, 'usr/local'))
  return {
    kind: 'debian',
    env: ENV,
    mount(root, changes) {
      overlay(lower, join(changes, 'root'), root)
      return ['.']
    },
  }
}

/** As small as the base image. */
async function makeDebian(): Promise<void> {
  if (!isInstalled('mmdebstrap')) throw new Error('mmdebstrap is not installed; `--short` does without it')
  mkdirSync(dirname(ARCHIVE), { recursive: true })
  const unfinished = `${ARCHIVE}.${process.pid}.tar`
  await runLong('mmdebstrap', ['--variant=minbase', '--mode=root', SUITE, unfinished])
  renameSync(unfinished, ARCHIVE)
}

const EMPTY = ['dev', 'etc', 'home', 'mnt', 'opt', 'proc', 'root', 'run', 'srv', 'sys', 'tmp', 'var/tmp', 'usr']
const OF_THE_LOADER = ['etc/ld.so.cache', 'etc/ld.so.conf', 'etc/ld.so.conf.d', 'etc/alternatives']
const MERGED_INTO_USR = ['bin', 'lib', 'lib64', 'sbin']

/** Nothing outside of /usr is taken from this machine, nor what it has in /usr/local. */
export function openThisMachine(folder: string): Base {
  const local = join(folder, 'local')
  installNode(local)
  return {
    kind: 'this machine',
    env: ENV,
    mount(root, changes) {
      mkdirSync(join(changes, 'root'), { recursive: true })
      run('mount', '--bind', join(changes, 'root'), root)
      for (const path of EMPTY) mkdirSync(join(root, path), { recursive: true, mode: 0o755 })
      run('chmod', '1777', join(root, 'tmp'), join(root, 'var/tmp'))
      for (const path of OF_THE_LOADER.filter((one) => existsSync(`/${one}`))) {
        cpSync(`/${path}`, join(root, path), { recursive: true, verbatimSymlinks: true })
      }
      for (const path of MERGED_INTO_USR.filter((one) => isLink(`/${one}`))) {
        symlinkSync(readlinkSync(`/${path}`), join(root, path))
      }
      writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
      writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
      overlay('/usr', join(changes, 'usr'), join(root, 'usr'))
      overlay(local, join(changes, 'local'), join(root, 'usr/local'))
      return ['.', 'usr', 'usr/local']
    },
  }
}

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

function overlay(lower: string, changes: string, at: string): void {
  const [upper, work] = [join(changes, 'upper'), join(changes, 'work')]
  for (const folder of [upper, work, at]) mkdirSync(folder, { recursive: true })
  run('mount', '-t', 'overlay', '-o', `lowerdir=${lower},upperdir=${upper},workdir=${work}`, 'overlay', at)
}

/** As in the base image: in /usr/local, with npm. */
function installNode(local: string): void {
  const modules = join(local, 'lib/node_modules')
  mkdirSync(join(local, 'bin'), { recursive: true })
  mkdirSync(modules, { recursive: true })
  cpSync(process.execPath, join(local, 'bin/node'))
  const installed = execFileSync('npm', ['root', '--global'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  cpSync(join(installed, 'npm'), join(modules, 'npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
}
