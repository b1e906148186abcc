/** Runs workload.ts in a process that is recorded. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Recorded } from './record.ts'
import type { Workload } from './workload.ts'

const WORKLOAD = join(import.meta.dirname, 'workload.ts')

export const workloadProcess =
  (workload: Omit<Workload, 'folder' | 'log'>) =>
  async ({ data: folder, log, env }: Recorded): Promise<void> => {
    const child = spawn(process.execPath, [WORKLOAD, JSON.stringify({ ...workload, folder, log })], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const errors: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (...ended) => resolve(ended))
    })
    const isFine = workload.isKilled ? signal === 'SIGKILL' : code === 0
    assert(isFine, `the workload ended with ${code ?? signal}: ${errors.join('')}`)
  }
