/** Replays the Dockerfile in memory and checks the result. Runs in namespaces of its own: see replay.ts. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDockerfile, stagesOf } from '../deploy/dockerfile.ts'
import { ARCHIVE, checkBase, openDebian, openThisMachine } from './base.ts'
import { build, type Image } from './build.ts'
import { lendNpm, run } from './host.ts'
import type { ReplayOptions } from './replay.ts'
import { report } from './report.ts'

const [options = '{}', folder = ''] = process.argv.slice(2)
const { context, isShort, isFresh } = JSON.parse(options) as ReplayOptions
const begunAt = performance.now()
run('mount', '-t', 'tmpfs', '-o', 'size=4g', 'pombo-image', folder)

const stages = stagesOf(readDockerfile(readFileSync(join(context, 'deploy/Dockerfile'), 'utf8')))
for (const { base } of stages) checkBase(base)
const base = isShort && !existsSync(ARCHIVE) ? openThisMachine(folder) : await openDebian(folder, isFresh)
report(`FROM ${stages[0]?.base}, for which stands ${base.kind}`, performance.now() - begunAt)

const image = await build(stages, {
  folder,
  base,
  context: { folder: context, ignored: readFileSync(join(context, '.dockerignore'), 'utf8') },
  lent: lendNpm(),
  onStep: report,
})
await check(image)
report(`everything, for an image with ${megabytes(join(image.root, 'app'))} MB in /app`, performance.now() - begunAt)

function megabytes(path: string): string {
  const [size = ''] = execFileSync('du', ['--summarize', '--block-size=1M', path], { encoding: 'utf8' }).split('\t')
  return size
}

async function check(image: Image): Promise<void> {
  const volume = join(folder, 'volume')
  // A new volume begins as what the image has there.
  run('cp', '--archive', join(image.root, image.volumes[0] ?? ''), volume)
  const file = join(folder, 'image.json')
  writeFileSync(file, JSON.stringify(image))
  const main = join(import.meta.dirname, 'checks-main.ts')
  const args = ['--net', 'sh', '-ec', 'ip link set lo up; exec "$@"', 'sh', process.execPath, main, file, volume]
  const [code] = await once(spawn('unshare', args, { stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error('the image does not do what it should')
}
